import { createServer, type IncomingHttpHeaders, IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { afterEach, expect, it } from "vitest";
import { KnownHeadersRequest } from "./known-headers.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** The headers that a server finds in a request with these lines. */
async function headersOf(lines: readonly string[], Request: typeof IncomingMessage): Promise<IncomingHttpHeaders> {
  return new Promise((resolve) => {
    const server = createServer({ IncomingMessage: Request }, (request) => resolve(request.headers));
    servers.push(server);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      connect(port, "127.0.0.1").write(`GET / HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    });
  });
}

const LINES = [
  "Host: one",
  "content-type: text/plain",
  "Content-Type: application/json",
  "accept: a",
  "Accept: b",
  "cookie: a=1",
  "cookie: b=2",
  "X-Forwarded-For: 1.1.1.1",
  "x-forwarded-for: 2.2.2.2",
  "x-custom: first",
  "x-custom: second",
  "__proto__: odd",
  "authorization: Bearer one",
  "authorization: Bearer two",
];

it("are the same headers that node:http finds, also those that come twice", async () => {
  const sent = (headers: IncomingHttpHeaders) =>
    Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  for (const lines of [LINES, LINES.toReversed(), ["host: x"]])
    expect(sent(await headersOf(lines, KnownHeadersRequest))).toEqual(sent(await headersOf(lines, IncomingMessage)));
});

it("have one shape in whatever order they come", async () => {
  setFlagsFromString("--allow-natives-syntax");
  const haveSameMap = runInThisContext("(one, other) => %HaveSameMap(one, other)") as (a: object, b: object) => boolean;
  const known = LINES.filter((line) => !/^(?:x-custom|__proto__)/.test(line));
  const one = await headersOf(known, KnownHeadersRequest);
  expect(haveSameMap(one, await headersOf(known.toReversed(), KnownHeadersRequest))).toBe(true);
  expect(haveSameMap(one, await headersOf(["host: x"], KnownHeadersRequest))).toBe(true);
  setFlagsFromString("--no-allow-natives-syntax");
});
