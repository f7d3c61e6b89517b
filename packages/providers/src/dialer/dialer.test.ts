import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expectFailure, openForTest, orderTo, readAll } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp, serveTcp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { checkEndpoint } from "./address-guard.ts";

const hello = (_request: IncomingMessage, response: ServerResponse) => {
  response.end("hello");
};

describe("the dialer", () => {
  it("posts to the whole URL, with the headers given, and asks for no compression", async () => {
    const heard: unknown[] = [];
    const server = await serveHttp(async (request, response) => {
      heard.push(request.method, request.url, request.headers["x-test"], request.headers["accept-encoding"]);
      heard.push(await text(request));
      response.end();
    });
    await readAll(
      openForTest(),
      orderTo(`${server.url}/a%20b?c=d`, {}, { headers: { "x-test": "1" }, body: "é" }),
    );
    expect(heard).toEqual(["POST", "/a%20b?c=d", "1", "identity", "é"]);
  });

  it("answers with status, headers and body as they are", async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(418, {
        "x-one": "1",
        "set-cookie": ["a=1", "b=2"],
        location: "http://127.0.0.1:1/",
      });
      response.end("short and stout");
    });
    const reply = await openForTest().post(orderTo(server.url), new AbortController().signal);
    expect(reply.status).toBe(418);
    expect(reply.headers).toMatchObject({ "x-one": "1", "set-cookie": "a=1, b=2" });
    expect(await text(reply.body)).toBe("short and stout");
  });

  it("does not follow a redirect", async () => {
    const elsewhere = await serveHttp(hello);
    const server = await serveHttp((_request, response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
    });
    const reply = await openForTest().post(orderTo(server.url), new AbortController().signal);
    expect(reply.status).toBe(307);
    expect(await text(reply.body)).toBe("");
    expect(elsewhere.connections).toBe(0);
  });

  it("hands on compressed bytes as they are", async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0]);
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bytes);
    });
    const reply = await openForTest().post(orderTo(server.url), new AbortController().signal);
    const pieces: Buffer[] = [];
    for await (const piece of reply.body) pieces.push(piece);
    expect(Buffer.concat(pieces)).toEqual(bytes);
  });

  it("uses a connection again, and opens as many as are needed at once", async () => {
    const server = await serveHttp(hello);
    const dialer = openForTest();
    for (let i = 0; i < 3; i += 1) expect(await readAll(dialer, orderTo(server.url))).toBe("hello");
    expect(server.connections).toBe(1);
    await Promise.all(Array.from({ length: 5 }, () => readAll(dialer, orderTo(server.url))));
    expect(server.connections).toBe(5);
  });

  it("opens a new connection when the other side has closed the old one", async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { connection: "close" }).end("hello");
    });
    const dialer = openForTest();
    expect(await readAll(dialer, orderTo(server.url))).toBe("hello");
    expect(await readAll(dialer, orderTo(server.url))).toBe("hello");
    expect(server.connections).toBe(2);
  });

  it("reads an answer that only ends with the connection", async () => {
    const server = await serveTcp((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello"));
    });
    expect(await readAll(openForTest(), orderTo(server.url))).toBe("hello");
  });
});

describe("the dialer's guard", () => {
  it("connects to the address that was looked up, once per connection, under the name's own host header", async () => {
    const hosts: unknown[] = [];
    const server = await serveHttp((request, response) => {
      hosts.push(request.headers.host);
      response.end("hello");
    });
    const answers = [["127.0.0.1"], ["192.0.2.1"]];
    let asked = 0;
    const dialer = openForTest({ lookup: async () => answers[asked++] ?? [] });
    const url = `http://api.test:${server.port}/`;
    await readAll(dialer, orderTo(url));
    await readAll(dialer, orderTo(url));
    expect(hosts).toEqual([`api.test:${server.port}`, `api.test:${server.port}`]);
    expect(asked).toBe(1);
  });

  it.each([[["127.0.0.1"]], [["1.1.1.1", "127.0.0.1"]], [["::ffff:127.0.0.1"]]])(
    "opens no connection to a name that leads to %j",
    async (addresses) => {
      const server = await serveTcp(() => {});
      const dialer = openForTest({ lookup: async () => addresses });
      const order = orderTo(`https://api.test:${server.port}/`, {}, { mayDialPrivate: false });
      await expectFailure(readAll(dialer, order), "forbidden-address");
      expect(server.connections).toBe(0);
    },
  );

  it("checks at the connect, so that a name which was public when it was registered gains nothing", async () => {
    const server = await serveTcp(() => {});
    const answers = [["1.1.1.1"], ["127.0.0.1"]];
    const lookup = async () => answers.shift() ?? [];
    const url = `https://api.test:${server.port}/`;
    expect(await checkEndpoint(url, false, lookup)).toBeUndefined();
    const order = orderTo(url, {}, { mayDialPrivate: false });
    await expectFailure(readAll(openForTest({ lookup }), order), "forbidden-address");
    expect(answers).toEqual([]);
    expect(server.connections).toBe(0);
  });

  it.each([
    "https://127.0.0.1",
    "https://2130706433",
    "https://[::ffff:127.0.0.1]",
    "http://api.test",
    "https://me:pw@api.test",
  ])("opens no connection to %s", async (origin) => {
    const server = await serveTcp(() => {});
    const dialer = openForTest({ lookup: () => Promise.reject(new Error("nobody should have asked")) });
    const order = orderTo(`${origin}:${server.port}/`, {}, { mayDialPrivate: false });
    await expectFailure(
      readAll(dialer, order),
      "forbidden-address",
      "its endpoint is not one that may be dialled",
    );
    expect(server.connections).toBe(0);
  });
});
