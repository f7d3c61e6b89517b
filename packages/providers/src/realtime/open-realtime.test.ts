import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { Secret } from "@trunkline/core/secret.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import { makeCertificate } from "@trunkline/testing/throwaway-certificate.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { listen } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptRealtime } from "./accept-realtime.ts";
import { openRealtime } from "./open-realtime.ts";

const { signal } = new AbortController();
const call = (endpoint: string, changes: Parameters<typeof sampleModel>[1] = {}) => ({
  model: sampleModel("acme/talker", {
    wire: "openai",
    authType: "bearer",
    credential: new Secret("the-key"),
    mayDialPrivate: true,
    endpoint,
    ...changes,
  }),
  isBeta: true,
  writeWaitMs: 1_000,
  signal,
});

/** Repeats every event. */
function repeat(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  void acceptRealtime(request, socket, head, 1_000).then((events) => {
    void events.send(JSON.stringify([request.url, request.headers.authorization, request.headers["openai-beta"]]));
    events.read(
      async (text) => events.send(text),
      () => undefined,
    );
  });
}

describe("openRealtime", () => {
  it("opens a session over TLS with the credential and passes long texts whole and in order", async () => {
    const { key, cert } = makeCertificate("api.test");
    const server = createHttpsServer({ key, cert }).on("upgrade", repeat);
    const { port } = await listen(server);
    const dialer = openForTest({ lookup: async () => ["127.0.0.1"], tlsTerms: () => ({ ca: cert }) });
    const socket = await openRealtime(dialer, call(`https://api.test:${port}/v1`));
    onTestFinished(() => socket.close(1000, ""));
    const read: string[] = [];
    socket.read(
      async (text) => void read.push(text),
      () => undefined,
    );
    const long = Array.from({ length: 5 }, (_, at) => String(at).repeat(900_000));
    for (const text of long) await socket.send(text);
    await expect.poll(() => read.length, { timeout: 10_000 }).toBe(6);
    expect(read[0]).toBe(JSON.stringify(["/v1/realtime?model=talker", "Bearer the-key", "realtime=v1"]));
    expect(read.slice(1).every((text, at) => text === long[at])).toBe(true);
  });

  it("dials no private address without permission, by number or by name", async () => {
    const dialer = openForTest({ lookup: async () => ["127.0.0.1"] });
    for (const endpoint of ["https://127.0.0.1/v1", "https://api.test/v1", "http://api.test/v1"])
      await expect(openRealtime(dialer, call(endpoint, { mayDialPrivate: false })), endpoint).rejects.toMatchObject({
        name: "ProviderFailure",
        kind: "refused",
        cause: { name: "DialFailure", kind: "forbidden-address" },
      });
  });

  it("tries the next key where one is refused, and says how the provider refused the last", async () => {
    const seen: unknown[] = [];
    const server = createHttpServer().on("upgrade", (request, socket) => {
      seen.push(request.headers.authorization);
      socket.end(`HTTP/1.1 ${seen.length === 1 ? 401 : 503} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
    const { url } = await listen(server);
    const keys = [new Secret("one"), new Secret("two"), new Secret("three")];
    await expect(openRealtime(openForTest(), call(`${url}/v1`, { keys }))).rejects.toMatchObject({
      name: "ProviderFailure",
      kind: "broken",
    });
    expect(seen).toEqual(["Bearer one", "Bearer two"]);
  });

  it("closes a connection whose message is too large", async () => {
    const server = createHttpServer().on("upgrade", repeat);
    const { url } = await listen(server);
    const socket = await openRealtime(openForTest(), call(`${url}/v1`));
    const closed = new Promise<number>((resolve) => socket.read(async () => undefined, resolve));
    await socket.send("x".repeat(4 * 1024 * 1024 + 1));
    expect(await closed).toBe(1009);
  });
});
