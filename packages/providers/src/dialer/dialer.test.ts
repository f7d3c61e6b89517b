import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { makeCertificate } from "@trunkline/testing/throwaway-certificate.ts";
import { expectFailure, openForTest, orderTo, readAll } from "@trunkline/testing/throwaway-dialer.ts";
import { findDeadPort, listen, serveHttp, serveTcp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { checkEndpoint } from "./address-guard.ts";

describe("calls", () => {
  const hello = (_request: IncomingMessage, response: ServerResponse) => {
    response.end("hello");
  };

  describe("the dialer", () => {
    it("posts to the whole URL, with the given headers, and asks for no compression", async () => {
      const heard: unknown[] = [];
      const server = await serveHttp(async (request, response) => {
        heard.push(request.method, request.url, request.headers["x-test"], request.headers["accept-encoding"]);
        heard.push(await text(request));
        response.end();
      });
      await readAll(openForTest(), orderTo(`${server.url}/a%20b?c=d`, {}, { headers: { "x-test": "1" }, body: "é" }));
      expect(heard).toEqual(["POST", "/a%20b?c=d", "1", "identity", "é"]);
    });

    it("sends each call its own headers, however much those of the calls before were alike", async () => {
      const heard: unknown[] = [];
      const server = await serveHttp((request, response) => {
        const { authorization, "x-test": test, "x-id": id } = request.headers;
        heard.push([request.url, authorization, test, id]);
        response.end();
      });
      const dialer = openForTest();
      const calls = [
        ["/a", { authorization: "one", "x-test": "1", "x-id": "1" }],
        ["/a", { authorization: "one", "x-test": "1", "x-id": "2" }],
        ["/a", { authorization: "two", "x-test": "1", "x-id": "3" }],
        ["/b", { authorization: "two", "x-test": "1", "x-id": "3" }],
        ["/a", { "x-test": "1", "x-id": "3" }],
        ["/a", { authorization: "one", "x-id": "3" }],
        ["/a", { "x-test": "1", authorization: "one", "x-id": "4" }],
      ] as const;
      for (const [path, headers] of calls) await readAll(dialer, orderTo(server.url + path, {}, { headers }));
      const all: readonly [string, Record<string, string>][] = calls.map(([path, headers]) => [path, { ...headers }]);
      expect(heard).toEqual(all.map(([path, sent]) => [path, sent.authorization, sent["x-test"], sent["x-id"]]));
    });

    it("returns status, headers and body unchanged", async () => {
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

    it("passes on compressed bytes unchanged", async () => {
      const bytes = Buffer.from([0x1f, 0x8b, 8, 0]);
      const server = await serveHttp((_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(bytes);
      });
      const reply = await openForTest().post(orderTo(server.url), new AbortController().signal);
      const pieces: Buffer[] = [];
      for await (const piece of reply.body) pieces.push(piece);
      expect(Buffer.concat(pieces)).toEqual(bytes);
    });

    it("reuses a connection, and opens as many as are needed at once", async () => {
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

    it("sends a request once more where a kept connection was closed before it came there", async () => {
      let requests = 0;
      const server = await serveTcp((socket) => {
        socket.on("data", () => {
          requests += 1;
          if (requests === 2) socket.destroy();
          else socket.write("HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 5\r\n\r\nhello");
        });
      });
      const dialer = openForTest();
      for (let i = 0; i < 3; i += 1) {
        expect(await readAll(dialer, orderTo(server.url))).toBe("hello");
        // Long enough for the other side to give an idle connection up.
        await setTimeout(300);
      }
      expect(requests).toBe(4);
      expect(server.connections).toBe(2);
    });

    it("does not send a request again where a new connection is closed, or a kept one after its first byte", async () => {
      let requests = 0;
      const server = await serveTcp((socket) => {
        socket.on("data", () => {
          requests += 1;
          if (requests === 1)
            socket.write("HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 5\r\n\r\nhello");
          else socket.end(requests === 2 ? "HTTP/1.1 200 OK\r\ncont" : "");
        });
      });
      const dialer = openForTest();
      await readAll(dialer, orderTo(server.url));
      await setTimeout(300);
      await expectFailure(dialer.post(orderTo(server.url), new AbortController().signal), "reset");
      await expectFailure(dialer.post(orderTo(server.url), new AbortController().signal), "reset");
      expect(requests).toBe(3);
    });

    it("does not send a request again after information that came before its response", async () => {
      let requests = 0;
      const server = await serveTcp((socket) => {
        socket.on("data", () => {
          requests += 1;
          if (requests === 2) socket.write("HTTP/1.1 102 Processing\r\n\r\n", () => socket.destroy());
          else socket.write("HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 5\r\n\r\nhello");
        });
      });
      const dialer = openForTest();
      await readAll(dialer, orderTo(server.url));
      await setTimeout(300);
      await expectFailure(dialer.post(orderTo(server.url), new AbortController().signal), "reset");
      expect(requests).toBe(2);
    });

    it("takes no answer that came before its request was sent, and sends it on another connection", async () => {
      const sockets: Socket[] = [];
      let requests = 0;
      const server = await serveTcp((socket) => {
        sockets.push(socket);
        socket.on("data", () => {
          requests += 1;
          socket.write("HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 5\r\n\r\nhello");
        });
      });
      const dialer = openForTest();
      await readAll(dialer, orderTo(server.url));
      // Timers run before what has come is read.
      await setTimeout(10);
      sockets[0]?.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother");
      // The bytes arrive while this thread stands still.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      expect(await readAll(dialer, orderTo(server.url))).toBe("hello");
      expect([requests, sockets.length]).toEqual([2, 2]);
    });

    it("does not use a connection on which more came than was asked for", async () => {
      const server = await serveTcp((socket) => {
        socket.on("data", () =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n"),
        );
      });
      const dialer = openForTest();
      for (let i = 0; i < 2; i += 1) expect(await readAll(dialer, orderTo(server.url))).toBe("hello");
      expect(server.connections).toBe(2);
    });

    it("reads a response that only ends with the connection", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello"));
      });
      expect(await readAll(openForTest(), orderTo(server.url))).toBe("hello");
    });
  });

  describe("the dialer's guard", () => {
    it("connects to the resolved address, once per connection, with the name as host header", async () => {
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
      "opens no connection to a name that resolves to %j",
      async (addresses) => {
        const server = await serveTcp(() => {});
        const dialer = openForTest({ lookup: async () => addresses });
        const order = orderTo(`https://api.test:${server.port}/`, {}, { mayDialPrivate: false });
        await expectFailure(readAll(dialer, order), "forbidden-address");
        expect(server.connections).toBe(0);
      },
    );

    it("checks at connect time, so a name that was public when it was registered gains nothing", async () => {
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
      const dialer = openForTest({ lookup: () => Promise.reject(new Error("unexpected lookup")) });
      const order = orderTo(`${origin}:${server.port}/`, {}, { mayDialPrivate: false });
      await expectFailure(readAll(dialer, order), "forbidden-address", "its endpoint is not one that may be dialled");
      expect(server.connections).toBe(0);
    });
  });
});

describe("TLS", () => {
  const { key, cert } = makeCertificate("api.test");
  const atHome = async () => ["127.0.0.1"];

  async function serveHttps() {
    const names: unknown[] = [];
    const https = createServer({ key, cert }, (request, response) => {
      names.push(request.socket instanceof TLSSocket && request.socket.servername);
      response.end("hello");
    });
    const server = await listen(https);
    return { server, names };
  }

  describe("the dialer over TLS", () => {
    it("sends the server name, checks the certificate against it, and reuses the connection", async () => {
      const { server, names } = await serveHttps();
      const dialer = openForTest({ lookup: atHome, tlsTerms: () => ({ ca: cert }) });
      const order = orderTo(`https://api.test:${server.port}/`);
      expect(await readAll(dialer, order)).toBe("hello");
      expect(await readAll(dialer, order)).toBe("hello");
      expect(names).toEqual(["api.test", "api.test"]);
      expect(server.connections).toBe(1);
    });

    it("leaves out the trailing dot of a name", async () => {
      const { server, names } = await serveHttps();
      const dialer = openForTest({ lookup: atHome, tlsTerms: () => ({ ca: cert }) });
      expect(await readAll(dialer, orderTo(`https://api.test.:${server.port}/`))).toBe("hello");
      expect(names).toEqual(["api.test"]);
    });

    it("does not lend a guarded call the connection of one that may dial private addresses", async () => {
      const { server, names } = await serveHttps();
      const dialer = openForTest({ lookup: atHome, tlsTerms: () => ({ ca: cert }) });
      const url = `https://api.test:${server.port}/`;
      expect(await readAll(dialer, orderTo(url))).toBe("hello");
      await expectFailure(readAll(dialer, orderTo(url, {}, { mayDialPrivate: false })), "forbidden-address");
      expect(names).toHaveLength(1);
      expect(server.connections).toBe(1);
    });

    it("refuses an untrusted certificate", async () => {
      const { server, names } = await serveHttps();
      const dialer = openForTest({ lookup: atHome });
      await expectFailure(readAll(dialer, orderTo(`https://api.test:${server.port}/`)), "tls");
      expect(names).toEqual([]);
    });

    it.each(["other.test", "127.0.0.1"])("refuses a certificate for another name than %s", async (host) => {
      const { server, names } = await serveHttps();
      const dialer = openForTest({ lookup: atHome, tlsTerms: () => ({ ca: cert }) });
      await expectFailure(readAll(dialer, orderTo(`https://${host}:${server.port}/`)), "tls");
      expect(names).toEqual([]);
    });
  });
});

describe("failures", () => {
  const hello = (_request: IncomingMessage, response: ServerResponse) => {
    response.end("hello");
  };

  describe("the dialer, when connecting fails", () => {
    it("reports a refused connection", async () => {
      const port = await findDeadPort();
      await expectFailure(
        readAll(openForTest(), orderTo(`http://127.0.0.1:${port}/`)),
        "refused",
        "the connection was refused",
      );
    });

    it("reports a refused connection when every address of a name refuses", async () => {
      const port = await findDeadPort();
      const dialer = openForTest({ lookup: async () => ["127.0.0.1", "127.0.0.2"] });
      await expectFailure(
        readAll(dialer, orderTo(`http://api.test:${port}/`)),
        "refused",
        "the connection was refused",
      );
    });

    it("reports a name that can't be resolved", async () => {
      const dialer = openForTest({ lookup: () => Promise.reject(new Error("ENOTFOUND")) });
      await expectFailure(readAll(dialer, orderTo("http://api.test/")), "dns", "its name could not be resolved");
    });

    it("counts the DNS lookup as connecting", async () => {
      const dialer = openForTest({ lookup: () => new Promise(() => {}) });
      const order = orderTo("http://api.test/", { connectMs: 20 });
      await expectFailure(readAll(dialer, order), "connect-timeout", "did not connect within 0.02 s");
    });

    it("counts the TLS handshake as connecting, and disconnects", async () => {
      const server = await serveTcp(() => {});
      const order = orderTo(`https://127.0.0.1:${server.port}/`, { connectMs: 300 });
      await expectFailure(readAll(openForTest(), order), "connect-timeout");
      await server.hungUp;
    });

    it("reports a server without TLS", async () => {
      const server = await serveHttp(hello);
      await expectFailure(
        readAll(openForTest(), orderTo(`https://127.0.0.1:${server.port}/`)),
        "tls",
        "the TLS handshake failed",
      );
    });

    it("refuses an invalid header", async () => {
      const server = await serveHttp(hello);
      const order = orderTo(server.url, {}, { headers: { authorization: "Bearer a\r\nx: y" } });
      await expectFailure(readAll(openForTest(), order), "refused", "the request could not be sent");
    });
  });

  describe("the dialer, when the response fails", () => {
    it("limits the wait for the head, and disconnects", async () => {
      const server = await serveHttp(() => {});
      const order = orderTo(server.url, { firstByteMs: 100 });
      await expectFailure(readAll(openForTest(), order), "first-byte-timeout", "did not answer within 0.1 s");
      await server.hungUp;
    });

    it("limits the wait for a head that arrives byte by byte", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => {
          const drip = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
          socket.once("close", () => clearInterval(drip));
        });
      });
      await expectFailure(readAll(openForTest(), orderTo(server.url, { firstByteMs: 60 })), "first-byte-timeout");
      await server.hungUp;
    });

    it("limits the wait for the next piece, and disconnects", async () => {
      const server = await serveHttp((_request, response) => {
        response.write("hello");
      });
      const reply = await openForTest().post(orderTo(server.url, { silenceMs: 200 }), new AbortController().signal);
      const pieces: string[] = [];
      const reading = (async () => {
        for await (const piece of reply.body) pieces.push(piece.toString());
      })();
      await expectFailure(reading, "silence-timeout", "fell silent for 0.2 s");
      expect(pieces).toEqual(["hello"]);
      await server.hungUp;
    });

    it("ends a response that trickles for ever", async () => {
      const server = await serveHttp((_request, response) => {
        const drip = setInterval(() => response.write("."), 5);
        response.once("close", () => clearInterval(drip));
      });
      await expectFailure(
        readAll(openForTest(), orderTo(server.url, { wholeMs: 200 })),
        "whole-timeout",
        "did not finish within 0.2 s",
      );
      await server.hungUp;
    });

    it("refuses a response whose announced length exceeds the limit", async () => {
      const server = await serveHttp((_request, response) => {
        response.writeHead(200, { "content-length": 11 }).write("h");
      });
      const post = openForTest().post(orderTo(server.url, { responseBytes: 10 }), new AbortController().signal);
      await expectFailure(post, "too-large", "answered with more than 10 bytes");
      await server.hungUp;
    });

    it("ends an endless response at the limit", async () => {
      const server = await serveHttp((_request, response) => {
        const pour = () => {
          while (!response.destroyed && response.write("x".repeat(1024)));
        };
        response.on("drain", pour);
        pour();
      });
      await expectFailure(readAll(openForTest(), orderTo(server.url)), "too-large");
      await server.hungUp;
    });

    it("accepts exactly the limit", async () => {
      const server = await serveHttp((_request, response) => response.end("0123456789"));
      expect(await readAll(openForTest(), orderTo(server.url, { responseBytes: 10 }))).toBe("0123456789");
    });

    it("refuses an endless head", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`));
      });
      await expectFailure(readAll(openForTest(), orderTo(server.url)), "too-large", "answered with too large a header");
    });

    it.each([
      ["before the head", ""],
      ["within the head", "HTTP/1.1 200 OK\r\ncontent-le"],
      ["within a body of known length", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"],
      ["within a chunked body", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"],
      [
        "within a chunked body that is to close",
        "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
      ],
    ])("reports that the connection was closed %s", async (_when, bytes) => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => socket.end(bytes));
      });
      const failure = "closed the connection before the answer was complete";
      await expectFailure(readAll(openForTest(), orderTo(server.url)), "reset", failure);
    });

    it.each(["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"])(
      "reports that the connection was reset after %j",
      async (bytes) => {
        const server = await serveTcp((socket) => {
          socket.once("data", () => socket.write(bytes, () => socket.resetAndDestroy()));
        });
        await expectFailure(readAll(openForTest(), orderTo(server.url)), "reset");
      },
    );

    it("reports a response that is not HTTP", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => socket.write("SSH-2.0-OpenSSH_9.2\r\n"));
      });
      await expectFailure(readAll(openForTest(), orderTo(server.url)), "reset", "the answer was not valid HTTP");
    });

    it("survives a connection that ends while the reader is slow, and loses nothing", async () => {
      const { url } = await serveTcp((socket) => {
        socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${"x".repeat(66_000)}`));
      });
      const reply = await openForTest().post(orderTo(url), new AbortController().signal);
      await new Promise<void>((resolve) => afterTurns(40, resolve));
      expect((await text(reply.body)).length).toBe(66_000);
    });

    it("survives a connection that breaks while the reader is slow", async () => {
      const { url } = await serveTcp((socket) => {
        socket.once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${"x".repeat(66_000)}`);
          afterTurns(20, () => socket.resetAndDestroy());
        });
      });
      const reply = await openForTest().post(orderTo(url), new AbortController().signal);
      await new Promise<void>((resolve) => afterTurns(40, resolve));
      await expectFailure(text(reply.body), "reset");
    });
  });

  /** Both ends share one event loop, so after some turns of it everything sent has been received. */
  function afterTurns(turns: number, then: () => void): void {
    if (turns === 0) then();
    else setImmediate(() => afterTurns(turns - 1, then));
  }
});
