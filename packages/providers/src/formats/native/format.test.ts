import type { RequestListener, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { CallLimits, Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { findDeadPort, serveHttp, serveTcp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { httpAdapter } from "../../http/http-adapter.ts";
import { nativeFormat } from "./format.ts";

describe("answers", () => {
  async function callServer(
    onRequest: RequestListener,
    model: Partial<Model> = {},
    inference: Partial<Inference> = {},
    signal: AbortSignal = new AbortController().signal,
  ) {
    const server = await serveHttp(onRequest);
    const adapter = httpAdapter(openForTest(), nativeFormat);
    const call = () =>
      adapter.call({
        model: makeModel({ endpoint: `${server.url}/v1/generate`, ...model }),
        inference: makeInference(inference),
        requestId: "r1",
        signal,
      });
    return { server, call };
  }

  const answering =
    (body: string, contentType = "application/json"): RequestListener =>
    (_request, response) => {
      response.writeHead(200, { "content-type": contentType }).end(body);
    };

  const hi = { type: "text", text: "hi" };
  const stop = { type: "finish", reason: "stop" };

  describe("the native adapter", () => {
    it("sends the request as documented", async () => {
      const heard: unknown[] = [];
      const credential = new Secret("sk-1");
      const { call } = await callServer(
        async (request, response) => {
          const { authorization, "content-type": type, "x-request-id": id } = request.headers;
          heard.push(request.method, request.url, authorization, type, id, JSON.parse(await readText(request)));
          response.end('{"output":"hi"}');
        },
        { authType: "bearer", credential },
      );
      expect(await collect(call())).toEqual([hi, stop]);
      const body = { input: "Hello?", parameters: {}, stream: true };
      expect(heard).toEqual(["POST", "/v1/generate", "Bearer sk-1", "application/json", "r1", body]);
    });

    it("reads a whole answer, whatever its content type", async () => {
      const body = '{"output":"hi","usage":{"input_tokens":2,"output_tokens":1},"latency_ms":3}';
      const { call } = await callServer(answering(body, "text/html"), {}, { streaming: false });
      expect(await collect(call())).toEqual([{ type: "usage", inputTokens: 2, outputTokens: 1 }, hi, stop]);
    });

    it.each([
      '{"delta":"h"}\n{"delta":"i"}\n{"done":true}\n',
      '{"delta":"h"}{"delta":"i"}{"done":true}',
      'data: {"delta":"h"}\n\ndata: {"delta":"i"}\n\ndata: [DONE]\n\n',
      '[{"delta":"h"},{"delta":"i"},{"done":true}]',
    ])("reads a stream however its objects are separated: %j", async (body) => {
      const { call } = await callServer(answering(body));
      expect(await collect(call())).toEqual([{ type: "text", text: "h" }, { type: "text", text: "i" }, stop]);
    });

    it("passes on a delta before the next one arrives", async () => {
      let finish: () => void = () => {};
      const { call } = await callServer((_request, response) => {
        response.write('{"delta":"h"}');
        finish = () => response.end('{"delta":"i","done":true}');
      });
      const parts = call()[Symbol.asyncIterator]();
      expect(await parts.next()).toEqual({ done: false, value: [{ type: "text", text: "h" }] });
      finish();
      expect(await parts.next()).toMatchObject({ done: false, value: [{ type: "text", text: "i" }, stop] });
    });

    it("does not wait for the end of a stream that is done, and keeps its connection if that end comes", async () => {
      const responses: ServerResponse[] = [];
      const { server, call } = await callServer((_request, response) => {
        responses.push(response);
        response.write('{"delta":"hi"}{"done":true}');
      });
      for await (const parts of call()) if (parts.some(({ type }) => type === "finish")) break;
      const [response] = responses;
      response?.end('{"delta":"late"}');
      // Both ends share one event loop: after some turns the server would have noticed a disconnect.
      for (let turns = 0; turns < 20; turns += 1) await setImmediate();
      expect(server.connections).toBe(1);
      expect(server.hangUps).toBe(0);
    });

    it("finishes although the connection stays open after the stream is done", async () => {
      const { server, call } = await callServer((_request, response) => {
        response.write('{"delta":"hi"}{"done":true}');
      });
      expect(await collect(call())).toEqual([hi, stop]);
      await server.hungUp;
    });

    it("accepts an image larger than a chunk in a whole answer", async () => {
      const url = `data:image/png;base64,${"A".repeat(100_000)}`;
      const model: Partial<Model> = { type: "image", streaming: false };
      const { call } = await callServer(answering(JSON.stringify({ output: { image_url: url } })), model);
      expect(await collect(call())).toEqual([{ type: "media", kind: "image", url, source: { image_url: url } }, stop]);
    });
  });

  describe("the native adapter, when its caller stops", () => {
    it("disconnects when the reader stops", async () => {
      const { server, call } = await callServer((_request, response) => {
        response.write('{"delta":"hi"}');
      });
      for await (const parts of call()) {
        expect(parts).toEqual([hi]);
        break;
      }
      await server.hungUp;
    });

    it("disconnects when the signal is aborted before the head, and blames no endpoint", async () => {
      const leaving = new AbortController();
      const { server, call } = await callServer(() => leaving.abort(), {}, {}, leaving.signal);
      await expect(collect(call())).rejects.toMatchObject({ name: "ProviderFailure", blamesEndpoint: false });
      await server.hungUp;
    });

    it("disconnects when the signal is aborted within the stream, and blames no endpoint", async () => {
      const leaving = new AbortController();
      const { server, call } = await callServer(
        (_request, response) => {
          response.write('{"delta":"hi"}');
        },
        {},
        {},
        leaving.signal,
      );
      const parts = call()[Symbol.asyncIterator]();
      await parts.next();
      const next = parts.next();
      leaving.abort();
      await expect(next).rejects.toMatchObject({ name: "ProviderFailure", blamesEndpoint: false });
      await server.hungUp;
    });
  });
});

describe("failures", () => {
  const clock: Clock = { now: () => Date.parse("2026-03-01T12:00:00Z"), monotonicMs: () => 0 };

  /** Makes a call that must fail; returns the failure and the parts before it. */
  async function fail(endpoint: string, model: Partial<Model> = {}, limits: Partial<CallLimits> = {}) {
    const adapter = httpAdapter(openForTest(), nativeFormat, clock);
    const plain = makeModel({ endpoint, ...model });
    const parts: Part[] = [];
    try {
      const call = {
        model: { ...plain, limits: { ...plain.limits, ...limits } },
        inference: makeInference(),
        requestId: "r1",
      };
      for await (const group of adapter.call({ ...call, signal: new AbortController().signal })) parts.push(...group);
    } catch (failure) {
      return { failure, parts };
    }
    throw new Error(`The call should have failed, and gave ${JSON.stringify(parts)}.`);
  }

  const failAt = async (onRequest: RequestListener, model: Partial<Model> = {}, limits: Partial<CallLimits> = {}) =>
    fail((await serveHttp(onRequest)).url, model, limits);

  const answering =
    (status: number, body: string | Buffer = "", headers: Record<string, string> = {}): RequestListener =>
    (_request, response) => {
      response.writeHead(status, headers).end(body);
    };

  const failure = (kind: string, reason: string, blamesEndpoint = true) => ({
    parts: [],
    failure: expect.objectContaining({ name: "ProviderFailure", kind, reason, blamesEndpoint }),
  });

  describe("the native adapter, when there is no answer", () => {
    it("reports a refused connection", async () => {
      const port = await findDeadPort();
      expect(await fail(`http://127.0.0.1:${port}/`)).toEqual(failure("refused", "the connection was refused"));
    });

    it("reports a forbidden address", async () => {
      const model = { mayDialPrivate: false };
      const reason = "its endpoint is not one that may be dialled";
      expect(await fail("https://127.0.0.1/", model)).toEqual(failure("refused", reason));
    });

    it("reports a late head", async () => {
      expect(await failAt(() => {}, {}, { firstByteMs: 100 })).toEqual(
        failure("timeout", "did not answer within 0.1 s"),
      );
    });

    it("reports a connection that broke before the head", async () => {
      const { url } = await serveTcp((socket) => socket.once("data", () => socket.resetAndDestroy()));
      const reason = "closed the connection before the answer was complete";
      expect(await fail(url)).toEqual(failure("broken", reason));
    });
  });

  describe("the native adapter, when the provider refuses", () => {
    it("reads 429 with the seconds or the date of Retry-After", async () => {
      const seconds = await failAt(
        answering(429, '{"error":{"message":"slow down","code":429}}', { "retry-after": "7" }),
      );
      expect(seconds).toEqual(failure("rate-limited", "gets too many requests from us"));
      expect(seconds.failure).toMatchObject({ retryAfterSeconds: 7 });
      const date = await failAt(answering(429, "", { "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }));
      expect(date.failure).toMatchObject({ kind: "rate-limited", retryAfterSeconds: 30 });
      const nothing = await failAt(answering(429));
      expect(nothing.failure).toMatchObject({ kind: "rate-limited", retryAfterSeconds: undefined });
    });

    it.each([
      [301, "broken", "answered with a redirect, and redirects are not followed"],
      [304, "broken", "answered with a redirect, and redirects are not followed"],
      [401, "refused", "refused our credential"],
      [403, "refused", "refused our credential"],
      [408, "timeout", "answered with status 408"],
      [500, "broken", "answered with status 500"],
      [503, "broken", "answered with status 503"],
      [504, "timeout", "answered with status 504"],
    ])("reads %d as %s", async (status, kind, reason) => {
      expect(await failAt(answering(status, "", { location: "https://example.com/" }))).toEqual(failure(kind, reason));
    });

    it("passes on what is wrong with the request, without blame and without the credential", async () => {
      const body = JSON.stringify({ error: { message: `Key sk-1:\n${"x".repeat(300)}`, code: 400 } });
      const answer = await failAt(answering(400, body), {
        authType: "bearer",
        credential: new Secret("sk-1"),
      });
      const words = `Key [secret]: ${"x".repeat(300)}`.slice(0, 200);
      expect(answer).toEqual(failure("rejected", `rejected the request: ${words}`, false));
    });

    it.each(["<html>Bad Request</html>", "", "{}", '{"error":{}}', `"${"x".repeat(100_000)}"`])(
      "reports only the status where there is no message",
      async (body) => {
        expect(await failAt(answering(422, body))).toEqual(failure("rejected", "answered with status 422", false));
      },
    );
  });

  describe("the native adapter, when the answer is bad", () => {
    it.each([
      ["HTML", "<html><body>Welcome</body></html>", "broken", "the answer is not JSON"],
      ["plain text", "It works!", "broken", "the answer is not JSON"],
      ["cut off", '{"output":"h', "broken", "the answer is not complete JSON"],
      ["without output", '{"usage":{"input_tokens":1,"output_tokens":1}}', "broken", "the answer has no output"],
      ["of another shape", '{"output":{"text":"hi"}}', "broken", "the answer has no output"],
      ["empty", "", "broken", "the answer has no output"],
      ["a nesting bomb", `{"output":${"[".repeat(500_000)}`, "broken", "the answer is nested too deeply"],
      [
        "an error in disguise",
        '{"error":{"message":"no memory","code":500}}',
        "broken",
        "reported an error: no memory",
      ],
      [
        "too large a chunk",
        `{"delta":"${"x".repeat(70_000)}"}`,
        "too-large",
        "sent an object of more than 65536 bytes",
      ],
    ])("reports that it is %s", async (_name, body, kind, reason) => {
      expect(await failAt(answering(200, body))).toEqual(failure(kind, reason));
    });

    it("reports missing content", async () => {
      expect(await failAt(answering(204))).toEqual(failure("broken", "the answer has no output"));
    });

    it("refuses a compressed body, which it did not ask for", async () => {
      const packed = gzipSync('{"output":"hi"}');
      const reason = "sent a compressed answer that was not asked for";
      expect(await failAt(answering(200, packed, { "content-encoding": "gzip" }))).toEqual(failure("broken", reason));
      expect(await failAt(answering(200, packed))).toEqual(failure("broken", "the answer is not JSON"));
    });

    it("accepts the identity encoding", async () => {
      const announced = answering(200, '{"output":null}', { "content-encoding": "identity" });
      expect(await failAt(announced)).toEqual(failure("broken", "the answer has no output"));
    });

    it("accepts no more than the response limit, and disconnects", async () => {
      const server = await serveHttp((_request, response) => {
        const pour = () => {
          while (!response.destroyed && response.write('{"delta":""}\n'.repeat(1_000)));
        };
        response.on("drain", pour);
        pour();
      });
      expect(await fail(server.url)).toEqual(failure("too-large", "answered with more than 1048576 bytes"));
      await server.hungUp;
    });
  });

  describe("the native adapter, when a stream fails", () => {
    const afterFirstDelta = (kind: string, reason: string) => ({
      parts: [{ type: "text", text: "h" }],
      failure: expect.objectContaining({ name: "ProviderFailure", kind, reason, blamesEndpoint: true }),
    });

    it("does not take a truncated stream for a complete one", async () => {
      const stopped = await failAt(answering(200, '{"delta":"h"}\n'));
      expect(stopped).toEqual(afterFirstDelta("broken", "ended its stream before it was done"));
    });

    it("reports a broken connection", async () => {
      const { url } = await serveTcp((socket) => {
        const bytes = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{"delta":"h"}\r\n';
        socket.once("data", () => socket.end(bytes));
      });
      const reason = "closed the connection before the answer was complete";
      expect(await fail(url)).toEqual(afterFirstDelta("broken", reason));
    });

    it("reports silence, and disconnects", async () => {
      const server = await serveHttp((_request, response) => {
        response.write('{"delta":"h"}');
      });
      const silent = await fail(server.url, {}, { silenceMs: 200 });
      expect(silent).toEqual(afterFirstDelta("timeout", "fell silent for 0.2 s"));
      await server.hungUp;
    });

    it("reports an error within it, and disconnects", async () => {
      const server = await serveHttp((_request, response) => {
        response.write('data: {"delta":"h"}\n\ndata: {"error":{"message":"no memory","code":500}}\n\n');
      });
      expect(await fail(server.url)).toEqual(afterFirstDelta("broken", "reported an error: no memory"));
      await server.hungUp;
    });

    it("reports that it turns into something else", async () => {
      const turned = await failAt(answering(200, '{"delta":"h"}\n<html>'));
      expect(turned).toEqual(afterFirstDelta("broken", "the answer is not JSON"));
    });
  });
});
