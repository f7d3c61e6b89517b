import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBody } from "./read-body.ts";

const LIMIT = 1_024;
let server: Server;
let port: number;
/** What the server makes of the next request. */
let receive: (incoming: IncomingMessage) => void = () => undefined;

beforeAll(async () => {
  server = createServer((incoming, response) => {
    receive(incoming);
    incoming.on("close", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks?: readonly (string | Buffer)[];
  /** How the sending ends; left out: properly. */
  readonly end?: "never" | "destroy";
  readonly waitMs?: number;
  /** What happens between the arrival of the request and the reading of its body. */
  readonly before?: (incoming: IncomingMessage) => Promise<void>;
}

/** Sends a request over a real socket and reads its body on the other side. */
function send({ headers = {}, chunks = ["{}"], end, waitMs = 10_000, before }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      port,
      host: "127.0.0.1",
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    outgoing.on("error", () => undefined);
    receive = (incoming) => {
      const read = async () => {
        await before?.(incoming);
        return readBody(incoming, LIMIT, waitMs);
      };
      read()
        .then(resolve, reject)
        .finally(() => outgoing.destroy());
      if (end === "destroy") outgoing.destroy();
    };
    outgoing.flushHeaders();
    for (const chunk of chunks) outgoing.write(chunk);
    if (end === undefined) outgoing.end();
  });
}

describe("a body", () => {
  it("is read as it was sent, in one piece or in many, even where a character is cut", async () => {
    const text = '{"input":"Grüße 😀"}';
    const bytes = Buffer.from(text);
    expect(await send({ chunks: [text] })).toBe(text);
    expect(await send({ chunks: [...bytes].map((byte) => Buffer.from([byte])) })).toBe(text);
    expect(await send({ chunks: [] })).toBe("");
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json; charset=utf8",
    "Application/JSON",
    "application/json ; charset=utf-8",
  ])("is taken as %s", async (contentType) => {
    expect(await send({ headers: { "content-type": contentType } })).toBe("{}");
  });

  it.each([
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json-patch+json",
    "application/vnd.api+json",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    'application/json; charset="iso-8859-1"',
    "text/plain; application/json",
  ])("is not taken as %j", async (contentType) => {
    await expect(send({ headers: { "content-type": contentType } })).rejects.toMatchObject({
      type: "unsupported_media_type",
      status: 415,
    });
  });

  it.each(["gzip", "br", "deflate, gzip"])("is not taken when it is compressed with %s", async (encoding) => {
    await expect(send({ headers: { "content-encoding": encoding } })).rejects.toMatchObject({
      type: "unsupported_media_type",
    });
  });

  it("may be exactly as large as allowed", async () => {
    const text = JSON.stringify("x".repeat(LIMIT - 2));
    expect(await send({ chunks: [text] })).toHaveLength(LIMIT);
  });

  it("is refused a byte later, whether it was announced or just comes", async () => {
    const text = JSON.stringify("x".repeat(LIMIT - 1));
    const tooLarge = { type: "payload_too_large", status: 413, message: expect.stringContaining("1,024") };
    await expect(send({ chunks: [text] })).rejects.toMatchObject(tooLarge);
    await expect(
      send({ chunks: [text], headers: { "content-length": String(LIMIT + 1) } }),
    ).rejects.toMatchObject(tooLarge);
    await expect(
      send({ chunks: [], headers: { "content-length": "999999999" }, end: "never" }),
    ).rejects.toMatchObject(tooLarge);
  });

  it("is refused when it does not arrive in time", async () => {
    await expect(send({ chunks: ['{"a":'], end: "never", waitMs: 20 })).rejects.toMatchObject({
      type: "request_timeout",
      status: 408,
    });
  });

  it("is refused when it breaks off", async () => {
    const broken = send({ chunks: ['{"a":'], headers: { "content-length": "100" }, end: "destroy" });
    await expect(broken).rejects.toMatchObject({ type: "invalid_request", status: 400 });
  });

  it("is refused at once when it broke off before anyone read it", async () => {
    const gone = (incoming: IncomingMessage) =>
      new Promise<void>((resolve) => incoming.on("close", () => resolve()));
    const broken = send({
      chunks: ['{"a":'],
      headers: { "content-length": "100" },
      end: "destroy",
      before: gone,
      waitMs: 1_000,
    });
    await expect(broken).rejects.toMatchObject({ type: "invalid_request" });
  });

  it.each([
    ["half a character", Buffer.from([0x22, 0xc3, 0x22])],
    ["an overlong form", Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ["half a surrogate pair", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["UTF-16", Buffer.from("{}", "utf16le").subarray(0, 3)],
  ])("is refused where its bytes are no UTF-8: %s", async (what, bytes) => {
    const sent = send({ chunks: [bytes] });
    if (what === "UTF-16") expect(await sent).toContain("\u0000");
    else
      await expect(sent).rejects.toMatchObject({
        type: "invalid_request",
        message: expect.stringContaining("UTF-8"),
      });
  });
});
