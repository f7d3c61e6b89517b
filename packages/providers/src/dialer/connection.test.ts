import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardedLookup, systemLookup } from "./address-guard.ts";
import { type Connection, ConnectionPool, type ConnectionTarget } from "./connection.ts";

function targetAt(port: number, key = "target"): ConnectionTarget {
  const lookup = guardedLookup(true, systemLookup);
  const host = "127.0.0.1";
  return { key, origin: `http://${host}:${port}`, secure: false, host, port, lookup, ca: undefined };
}

/** Sends a request over the connection and returns it to the pool after the response. */
function useOnce(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.dispatch(
      { method: "POST", path: "/" },
      {
        paused: false,
        drain: () => {},
        abort: () => {},
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseEnd: () => {
          connection.release();
          resolve();
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function openPool(): ConnectionPool {
  const pool = new ConnectionPool();
  onTestFinished(() => pool.close());
  return pool;
}

describe("ConnectionPool", () => {
  it("lends a connection to one call at a time, and again once it is free", async () => {
    const { port } = await serveHttp((_request, response) => response.end());
    const pool = openPool();
    const first = pool.acquire(targetAt(port));
    expect(pool.acquire(targetAt(port))).not.toBe(first);
    await useOnce(first);
    expect(pool.acquire(targetAt(port))).toBe(first);
  });

  it("does not lend one target's connection to another", async () => {
    const { port } = await serveHttp((_request, response) => response.end());
    const pool = openPool();
    const first = pool.acquire(targetAt(port, "one"));
    await useOnce(first);
    expect(pool.acquire(targetAt(port, "other"))).not.toBe(first);
  });

  it("removes a connection that the other side has closed", async () => {
    const { port } = await serveHttp((_request, response) => {
      response.writeHead(200, { connection: "close" }).end();
    });
    const pool = openPool();
    const first = pool.acquire(targetAt(port));
    await useOnce(first);
    await expect
      .poll(() => {
        const next = pool.acquire(targetAt(port));
        next.release();
        return next === first;
      })
      .toBe(false);
  });
});
