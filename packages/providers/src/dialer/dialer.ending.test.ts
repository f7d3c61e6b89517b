import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expectFailure, openForTest, orderTo, readAll } from "@trunkline/testing/throwaway-dialer.ts";
import { listen, serveHttp, serveTcp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";

describe("the dialer, when its caller aborts", () => {
  it("does not start with an aborted signal", async () => {
    const server = await serveTcp(() => {});
    await expectFailure(openForTest().post(orderTo(server.url), AbortSignal.abort()), "aborted");
    expect(server.connections).toBe(0);
  });

  it("aborts the DNS lookup", async () => {
    const leaving = new AbortController();
    const lookup = () => {
      queueMicrotask(() => leaving.abort());
      return new Promise<never>(() => {});
    };
    await expectFailure(openForTest({ lookup }).post(orderTo("http://api.test/"), leaving.signal), "aborted");
  });

  it("disconnects during the TLS handshake", async () => {
    const leaving = new AbortController();
    const server = await serveTcp((socket) => socket.once("data", () => leaving.abort()));
    const call = openForTest().post(orderTo(`https://127.0.0.1:${server.port}/`), leaving.signal);
    await expectFailure(call, "aborted", "the call was ended");
    await server.hungUp;
  });

  it("disconnects while it waits for the head", async () => {
    const leaving = new AbortController();
    const server = await serveHttp(() => leaving.abort());
    await expectFailure(openForTest().post(orderTo(server.url), leaving.signal), "aborted");
    await server.hungUp;
  });

  it("disconnects within the body, and drops what was not read yet", async () => {
    const leaving = new AbortController();
    const server = await serveHttp((_request, response) => {
      response.write("hello");
    });
    const reply = await openForTest().post(orderTo(server.url), leaving.signal);
    leaving.abort();
    await expectFailure(text(reply.body), "aborted");
    await server.hungUp;
  });

  it("wakes a reader that waits for more", async () => {
    const leaving = new AbortController();
    const server = await serveHttp((_request, response) => {
      response.flushHeaders();
    });
    const reply = await openForTest().post(orderTo(server.url), leaving.signal);
    const reading = text(reply.body);
    leaving.abort();
    await expectFailure(reading, "aborted");
  });

  it("disconnects from a server that it has paused", async () => {
    const leaving = new AbortController();
    const server = await serveHttp((_request, response) => {
      response.write("x".repeat(500_000));
    });
    const reply = await openForTest().post(orderTo(server.url), leaving.signal);
    for await (const _piece of reply.body) break;
    await server.hungUp;
  });

  it("disconnects when the reader stops early", async () => {
    const server = await serveHttp((_request, response) => {
      response.write("hello");
    });
    const reply = await openForTest().post(orderTo(server.url), new AbortController().signal);
    for await (const piece of reply.body) {
      expect(piece.toString()).toBe("hello");
      break;
    }
    await server.hungUp;
    expect(await text(reply.body)).toBe("");
  });

  it("leaves no timer and no listener behind", async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === "/broken") response.destroy();
      else response.end("hello");
    });
    const dialer = openForTest();
    const { signal } = new AbortController();
    const timersBefore = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const whole = await dialer.post(orderTo(server.url), signal);
    expect(await text(whole.body)).toBe("hello");
    const left = await dialer.post(orderTo(server.url), signal);
    for await (const _piece of left.body) break;
    await expectFailure(dialer.post(orderTo(`${server.url}/broken`), signal), "reset");
    expect(getEventListeners(signal, "abort")).toEqual([]);
    // The timer that watches all calls ends with its next tick.
    await expect
      .poll(() => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length)
      .toBeLessThanOrEqual(timersBefore + 1);
  });

  it("aborts running calls when it is closed, and accepts no more", async () => {
    const server = await serveHttp((_request, response) => {
      response.write("hello");
    });
    const dialer = openForTest();
    const reply = await dialer.post(orderTo(server.url), new AbortController().signal);
    await dialer.close();
    await expectFailure(text(reply.body), "aborted");
    await expectFailure(readAll(dialer, orderTo(server.url)), "aborted");
    await server.hungUp;
  });
});

describe("the dialer, when the rest of the body is discarded", () => {
  it("keeps the connection if the response ends by itself", async () => {
    let finish: () => void = () => {};
    const server = await serveHttp((request, response) => {
      response.write("hello");
      if (request.url === "/whole") response.end();
      else finish = () => response.end(" and goodbye");
    });
    const dialer = openForTest();
    const reply = await dialer.post(orderTo(server.url), new AbortController().signal);
    reply.discardBody();
    expect(await text(reply.body)).toBe("");
    finish();
    // Until the end has arrived, the next calls need a second connection. If the first one were closed, the server
    // would notice.
    for (let calls = 0; calls < 20; calls += 1) await readAll(dialer, orderTo(`${server.url}/whole`));
    expect(server.connections).toBeLessThanOrEqual(2);
    expect(server.hangUps).toBe(0);
  });

  it("disconnects if the response goes on", async () => {
    const server = await serveHttp((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(1024)));
      };
      response.on("drain", pour);
      pour();
    });
    const reply = await openForTest().post(orderTo(server.url), new AbortController().signal);
    reply.discardBody();
    await server.hungUp;
    expect(await text(reply.body)).toBe("");
  });
});

describe("the dialer, with a slow reader", () => {
  it("pauses the sender, does not count that as silence, and loses nothing", async () => {
    const total = 64 * 1024 * 1024;
    let sent = 0;
    let reportStall: (outcome: string) => void = () => {};
    const outcome = new Promise<string>((resolve) => {
      reportStall = resolve;
    });
    const server = await listen(
      createServer(async (_request, response) => {
        while (sent < total) {
          sent += 64 * 1024;
          if (response.write(Buffer.alloc(64 * 1024))) continue;
          const stalled = setTimeout(() => reportStall("had to wait"), 1_300);
          await once(response, "drain");
          clearTimeout(stalled);
        }
        reportStall("sent all");
        response.end();
      }),
    );
    const order = orderTo(server.url, { responseBytes: total, silenceMs: 1_000 });
    const reply = await openForTest().post(order, new AbortController().signal);
    expect(await outcome).toBe("had to wait");
    expect(sent).toBeLessThan(total);
    let bytes = 0;
    for await (const piece of reply.body) bytes += piece.length;
    expect(bytes).toBe(total);
  });
});
