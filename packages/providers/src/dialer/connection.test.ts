import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardedLookup, systemLookup } from "./address-guard.ts";
import { type Connection, ConnectionPool, type ConnectionTarget } from "./connection.ts";
import type { DialResponse } from "./dial-request.ts";
import { HttpExchange } from "./http-exchange.ts";

function targetAt(port: number, key = "target"): ConnectionTarget {
  const lookup = guardedLookup(true, systemLookup);
  const host = "127.0.0.1";
  return { key, secure: false, host, port, lookup, tlsTerms: () => undefined };
}

const LIMITS = {
  connectMs: 10_000,
  firstByteMs: 10_000,
  silenceMs: 10_000,
  wholeMs: 60_000,
  responseBytes: 1_000,
  chunkBytes: 1_000,
};

/** Sends a request over the connection, which is free again after the response. */
async function useOnce(connection: Connection): Promise<void> {
  const message = { head: "POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 0\r\n\r\n", body: "", isAscii: true };
  const { signal } = new AbortController();
  const response = await new Promise<DialResponse>((resolve, reject) => {
    connection.send(new HttpExchange(message, { limits: LIMITS, signal, onReply: resolve, onFailure: reject }));
  });
  for await (const _piece of response.body);
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
