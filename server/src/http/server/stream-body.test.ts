import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StreamBody } from "./stream-body.ts";

const PIECES = ["plain\n", "", "Grüße, 世界 \u{1F600}\n", "x".repeat(300)];
const LAST = "the end: ✓\n";
const WHOLE = PIECES.join("") + LAST;

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    response.writeHead(200, ["content-type", "text/plain; charset=utf-8"]);
    const body = new StreamBody(response, 1_000);
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
