import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { heldBytesEach, leastBytes } from "@trunkline/testing/used-heap.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HeaderLines } from "../endpoints/header-lines.ts";
import { openStream } from "./stream-body.ts";

const PIECES = ["plain\n", "", "Grüße, 世界 \u{1F600}\n", "x".repeat(300), "y".repeat(1_000_000), "z"];
const LAST = "the end: ✓\n";
const WHOLE = PIECES.join("") + LAST;
const HEADER_BYTES = 12_000;

function headersOf(name: string, value: string): HeaderLines {
  const headers = new HeaderLines();
  headers.add(name, value);
  return headers;
}

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url?.startsWith("/held/") === true) {
      const size = Number(request.url.slice("/held/".length));
      await openStream(response, headersOf("x-header", `${Math.random()}${"x".repeat(size)}`), 1_000).write("begun");
      return;
    }
    const body = openStream(response, headersOf("content-type", "text/plain; charset=utf-8"), 1_000);
    for (const piece of PIECES) await body.write(piece);
    body.end(request.url === "/empty-end" ? "" : LAST);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

it("arrives as it was written, also where its last piece is empty", async () => {
  expect(await (await fetch(url)).text()).toBe(WHOLE);
  expect(await (await fetch(`${url}/empty-end`)).text()).toBe(PIECES.join(""));
});

it("leaves the connection to the next request", async () => {
  const client = await RawConnection.open(url);
  for (let time = 0; time < 2; time++) {
    client.send(head("GET / HTTP/1.1", "Host: trunkline"));
    expect((await client.answer()).text).toBe(WHOLE);
  }
  client.hangUp();
});

it("has no chunks for a client of HTTP/1.0, to which the end of the connection is that of the answer", async () => {
  const client = await RawConnection.open(url);
  client.send(head("GET / HTTP/1.0"));
  await client.closed();
  expect(client.received.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe(WHOLE);
});

it("keeps nothing of its head while it stays open", async () => {
  const hold = async (headerBytes: number) => {
    const { bytes, held } = await heldBytesEach(100, async () => {
      const client = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
      client.write(head(`GET /held/${headerBytes} HTTP/1.1`, "Host: trunkline"));
      // What was read is not kept here either, so that the difference is the server's.
      await new Promise<void>((resolve) => {
        client.on("data", (piece: Buffer) => piece.includes("begun") && resolve());
      });
      return client;
    });
    for (const client of held as Socket[]) client.destroy();
    return bytes;
  };
  const bound = HEADER_BYTES / 2;
  const kept = await leastBytes(bound, async () => -(await hold(1)) + (await hold(HEADER_BYTES)));
  expect(kept).toBeLessThan(bound);
});
