import { describe, expect, it } from "vitest";
import { type ResponseHeaders, ResponseParser } from "./response-parser.ts";

interface Parsed {
  status: number;
  headers: ResponseHeaders;
  body: string;
  isOver: boolean;
  keepsAlive: boolean;
}

/** Parses a response that comes in pieces of this size. */
function parse(response: string, pieceBytes = response.length, closes = false): Parsed {
  const bytes = Buffer.from(response, "latin1");
  const parsed: Parsed = { status: 0, headers: {}, body: "", isOver: false, keepsAlive: false };
  const parser = new ResponseParser();
  parser.start({
    onHead: (status, headers) => {
      parsed.status = status;
      parsed.headers = headers;
    },
    onData: (read, from, to) => {
      parsed.body += read.toString("latin1", from, to);
    },
    onEnd: () => {
      parsed.isOver = true;
    },
  });
  for (let at = 0; at < bytes.length; at += pieceBytes) parser.push(bytes.subarray(at, at + pieceBytes));
  if (closes) parser.close();
  parsed.keepsAlive = parser.keepsAlive;
  return parsed;
}

const head = (...lines: readonly string[]) => `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;

describe("ResponseParser", () => {
  it.each([
    ["a length", `${head("Content-Length: 5", "X-A: b")}hello`],
    ["chunks", `${head("Transfer-Encoding: chunked", "x-a:b ")}3\r\nhel\r\n2;name="x"\r\nlo\r\n0\r\n\r\n`],
    ["trailers", `${head("transfer-encoding: gzip, Chunked", "x-a: b")}05\r\nhello\r\n0\r\nx: y\r\nz: \r\n\r\n`],
    ["information before it", `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${head("content-length:5", "x-a: b")}hello`],
  ])("reads a response with %s, cut anywhere", (_name, response) => {
    for (let pieceBytes = 1; pieceBytes <= response.length; pieceBytes += 1) {
      const { status, headers, body, isOver, keepsAlive } = parse(response, pieceBytes);
      expect({ status, body, isOver, keepsAlive, x: headers["x-a"] }).toEqual({
        status: 200,
        body: "hello",
        isOver: true,
        keepsAlive: true,
        x: "b",
      });
    }
  });

  it("joins headers that come several times, and reads their values as UTF-8", () => {
    const name = Buffer.from("é").toString("latin1");
    const { headers } = parse(head("Set-Cookie: a=1", "set-cookie: b=2", `x-name: ${name}`, "__proto__: x"));
    expect(headers["set-cookie"]).toBe("a=1, b=2");
    expect(headers["x-name"]).toBe("é");
    expect("toString" in headers).toBe(false);
  });

  it("reads the headers of each response of a connection, whatever those of the one before were", () => {
    const parser = new ResponseParser();
    const read = (...lines: readonly string[]) => {
      let headers: ResponseHeaders = {};
      parser.start({
        onHead: (_status, these) => {
          headers = these;
        },
        onData: () => undefined,
        onEnd: () => undefined,
      });
      parser.push(Buffer.from(head("content-length: 0", ...lines), "latin1"));
      return { ...headers };
    };
    const length = { "content-length": "0" };
    const name = Buffer.from("größer").toString("latin1");
    expect(read("x-a: one", "x-b: two")).toEqual({ ...length, "x-a": "one", "x-b": "two" });
    expect(read("x-a: one", "x-b: two")).toEqual({ ...length, "x-a": "one", "x-b": "two" });
    expect(read("x-ab: one", "x-b: twofold")).toEqual({ ...length, "x-ab": "one", "x-b": "twofold" });
    expect(read("x-a: one", "x-b: tw", "x-c: three")).toEqual({ ...length, "x-a": "one", "x-b": "tw", "x-c": "three" });
    expect(read(`x-a: ${name}`, "X-B:")).toEqual({ ...length, "x-a": "größer", "x-b": "" });
    expect(read(`x-a: ${name}`, "x-b: two")).toEqual({ ...length, "x-a": "größer", "x-b": "two" });
    expect(read("x-b: two", "x-a: one")).toEqual({ ...length, "x-a": "one", "x-b": "two" });
    expect(read()).toEqual(length);
  });

  it("takes the end of the connection for the end of the body where nothing else says it", () => {
    expect(parse(`${head()}hello`)).toMatchObject({ body: "hello", isOver: false, keepsAlive: false });
    expect(parse(`${head()}hello`, 3, true)).toMatchObject({ body: "hello", isOver: true });
    expect(parse(`${head("transfer-encoding: gzip")}hello`, 3, true)).toMatchObject({ body: "hello", isOver: true });
  });

  it.each([
    ["a body that is too short", `${head("content-length: 6")}hello`],
    ["a chunk that is too short", `${head("transfer-encoding: chunked")}6\r\nhello`],
    ["no last chunk", `${head("transfer-encoding: chunked")}5\r\nhello\r\n`],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-le"],
  ])("does not take %s for a whole response", (_name, response) => {
    expect(parse(response, 7, true).isOver).toBe(false);
  });

  it.each([
    ["204", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["304", "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n"],
    ["a length of 0", head("content-length: 0")],
  ])("expects no body after %s", (_name, response) => {
    expect(parse(response)).toMatchObject({ body: "", isOver: true });
  });

  it.each([
    ["HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 0\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nconnection: x, close\r\ncontent-length: 0\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 0\r\n\r\n", true],
    ["HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", true],
  ])("knows from %j whether the connection lives on", (response, expected) => {
    expect(parse(response).keepsAlive).toBe(expected);
  });

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["another protocol, cut", "220 mail.example.com ESMTP\r\n"],
    ["a later version", "HTTP/2 200 OK\r\n\r\n"],
    ["a status that is no number", "HTTP/1.1 20x OK\r\n\r\n"],
    ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n"],
    ["a length and chunks", head("content-length: 5", "transfer-encoding: chunked")],
    ["two lengths", head("content-length: 5", "content-length: 5")],
    ["a signed length", head("content-length: +5")],
    ["a header without a colon", head("content-length 5")],
    ["a header with a space before its colon", head("content-length : 5")],
    ["a folded header", head("x-a: b", " c: d")],
    ["a line that ends with LF alone", "HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n"],
    ["a CR within a value", head("x-a: b\rc")],
    ["a NUL within a value", head("x-a: \0")],
    ["a chunk without a size", `${head("transfer-encoding: chunked")}\r\nhello`],
    ["a chunk's size that is no number", `${head("transfer-encoding: chunked")}5x\r\nhello`],
    ["a huge chunk", `${head("transfer-encoding: chunked")}${"f".repeat(13)}\r\n`],
    ["a chunk that is longer than its size", `${head("transfer-encoding: chunked")}3\r\nhello\r\n0\r\n\r\n`],
    ["more than was asked for", `${head("content-length: 5")}helloHTTP/1.1 200 OK\r\n\r\n`],
  ])("refuses %s", (_name, response) => {
    expect(() => parse(response)).toThrow();
    expect(() => parse(response, 1)).toThrow();
  });

  it("refuses lines without an end", () => {
    expect(() => parse(head(`x-a: ${"x".repeat(16_400)}`), 1_000)).toThrow("too large");
    expect(() => parse(`${head("transfer-encoding: chunked")}5;${"x".repeat(16_400)}`)).toThrow();
    expect(() => parse(`${head("transfer-encoding: chunked")}0\r\n${"x: y\r\n".repeat(5_000)}`)).toThrow();
  });
});
