import { getEventListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expectFailure, openForTest, orderTo, readAll } from "@trunkline/testing/throwaway-dialer.ts";
import { findDeadPort, serveHttp, serveTcp, withinOneSecond } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";

const hello = (_request: IncomingMessage, response: ServerResponse) => {
  response.end("hello");
};

describe("the dialer, when connecting fails", () => {
  it("says that the connection was refused", async () => {
    const port = await findDeadPort();
    await expectFailure(
      readAll(openForTest(), orderTo(`http://127.0.0.1:${port}/`)),
      "refused",
      "the connection was refused",
    );
  });

  it("says so too when every address of a name refuses", async () => {
    const port = await findDeadPort();
    const dialer = openForTest({ lookup: async () => ["127.0.0.1", "127.0.0.2"] });
    await expectFailure(
      readAll(dialer, orderTo(`http://api.test:${port}/`)),
      "refused",
      "the connection was refused",
    );
  });

  it("says that a name can't be resolved", async () => {
    const dialer = openForTest({ lookup: () => Promise.reject(new Error("ENOTFOUND")) });
    await expectFailure(
      readAll(dialer, orderTo("http://api.test/")),
      "dns",
      "its name could not be resolved",
    );
  });

  it("counts the look-up of the name as connecting", async () => {
    const dialer = openForTest({ lookup: () => new Promise(() => {}) });
    const order = orderTo("http://api.test/", { connectMs: 20 });
    await expectFailure(readAll(dialer, order), "connect-timeout", "did not connect within 0.02 s");
  });

  it("counts the TLS handshake as connecting, and hangs up", async () => {
    const server = await serveTcp(() => {});
    const order = orderTo(`https://127.0.0.1:${server.port}/`, { connectMs: 300 });
    await expectFailure(readAll(openForTest(), order), "connect-timeout");
    await withinOneSecond(server.hungUp);
  });

  it("says that there is no TLS on the other side", async () => {
    const server = await serveHttp(hello);
    await expectFailure(
      readAll(openForTest(), orderTo(`https://127.0.0.1:${server.port}/`)),
      "tls",
      "the TLS handshake failed",
    );
  });

  it("does not send what can't be a header", async () => {
    const server = await serveHttp(hello);
    const order = orderTo(server.url, {}, { headers: { authorization: "Bearer a\r\nx: y" } });
    await expectFailure(readAll(openForTest(), order), "refused", "the request could not be sent");
  });
});

describe("the dialer, when the answer fails", () => {
  it("waits for the head only so long, and hangs up", async () => {
    const server = await serveHttp(() => {});
    const order = orderTo(server.url, { firstByteMs: 100 });
    await expectFailure(readAll(openForTest(), order), "first-byte-timeout", "did not answer within 0.1 s");
    await withinOneSecond(server.hungUp);
  });

  it("is not kept waiting by a head that drips", async () => {
    const server = await serveTcp((socket) => {
      socket.once("data", () => {
        const drip = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
        socket.once("close", () => clearInterval(drip));
      });
    });
    await expectFailure(
      readAll(openForTest(), orderTo(server.url, { firstByteMs: 60 })),
      "first-byte-timeout",
    );
    await withinOneSecond(server.hungUp);
  });

  it("waits for the next piece only so long, and hangs up", async () => {
    const server = await serveHttp((_request, response) => {
      response.write("hello");
    });
    const reply = await openForTest().post(
      orderTo(server.url, { silenceMs: 200 }),
      new AbortController().signal,
    );
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const piece of reply.body) pieces.push(piece.toString());
    })();
    await expectFailure(reading, "silence-timeout", "fell silent for 0.2 s");
    expect(pieces).toEqual(["hello"]);
    await withinOneSecond(server.hungUp);
  });

  it("ends an answer that drips for ever", async () => {
    const server = await serveHttp((_request, response) => {
      const drip = setInterval(() => response.write("."), 5);
      response.once("close", () => clearInterval(drip));
    });
    await expectFailure(
      readAll(openForTest(), orderTo(server.url, { wholeMs: 200 })),
      "whole-timeout",
      "did not finish within 0.2 s",
    );
    await withinOneSecond(server.hungUp);
  });

  it("takes no more than the limit when the length is announced", async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-length": 11 }).write("h");
    });
    const post = openForTest().post(orderTo(server.url, { responseBytes: 10 }), new AbortController().signal);
    await expectFailure(post, "too-large", "answered with more than 10 bytes");
    await withinOneSecond(server.hungUp);
  });

  it("takes no more than the limit of an endless answer", async () => {
    const server = await serveHttp((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(1024)));
      };
      response.on("drain", pour);
      pour();
    });
    await expectFailure(readAll(openForTest(), orderTo(server.url)), "too-large");
    await withinOneSecond(server.hungUp);
  });

  it("takes exactly the limit", async () => {
    const server = await serveHttp((_request, response) => response.end("0123456789"));
    expect(await readAll(openForTest(), orderTo(server.url, { responseBytes: 10 }))).toBe("0123456789");
  });

  it("takes no endless head", async () => {
    const server = await serveTcp((socket) => {
      socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`));
    });
    await expectFailure(
      readAll(openForTest(), orderTo(server.url)),
      "too-large",
      "answered with too large a header",
    );
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
  ])("sees that the connection was closed %s", async (_when, bytes) => {
    const server = await serveTcp((socket) => {
      socket.once("data", () => socket.end(bytes));
    });
    const failure = "closed the connection before the answer was complete";
    await expectFailure(readAll(openForTest(), orderTo(server.url)), "reset", failure);
  });

  it.each(["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"])(
    "sees that the connection was reset after %j",
    async (bytes) => {
      const server = await serveTcp((socket) => {
        socket.once("data", () => socket.write(bytes, () => socket.resetAndDestroy()));
      });
      await expectFailure(readAll(openForTest(), orderTo(server.url)), "reset");
    },
  );

  it("sees that the answer is not HTTP", async () => {
    const server = await serveTcp((socket) => {
      socket.once("data", () => socket.write("SSH-2.0-OpenSSH_9.2\r\n"));
    });
    await expectFailure(
      readAll(openForTest(), orderTo(server.url)),
      "reset",
      "the answer was not valid HTTP",
    );
  });

  it("lives through a connection that ends while the reader is slow, and loses nothing", async () => {
    const { url } = await serveTcp((socket) => {
      socket.once("data", () =>
        socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${"x".repeat(66_000)}`),
      );
    });
    const { signal } = new AbortController();
    const reply = await openForTest().post(orderTo(url), signal);
    await untilOver(signal);
    expect((await text(reply.body)).length).toBe(66_000);
  });

  it("lives through a connection that breaks while the reader is slow", async () => {
    const { url } = await serveTcp((socket) => {
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${"x".repeat(66_000)}`);
        afterTurns(20, () => socket.resetAndDestroy());
      });
    });
    const { signal } = new AbortController();
    const reply = await openForTest().post(orderTo(url), signal);
    await untilOver(signal);
    await expectFailure(text(reply.body), "reset");
  });
});

/** Both ends live on one event loop, so after some turns of it what was sent has been received. */
function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}

/** A call stops listening to its signal as soon as it has ended, whether or not anybody has read it. */
async function untilOver(signal: AbortSignal): Promise<void> {
  await expect.poll(() => getEventListeners(signal, "abort").length).toBe(0);
}
