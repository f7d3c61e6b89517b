import type { Clock } from "@trunkline/core/clock.ts";
import { DEFAULT_CALL_LIMITS } from "@trunkline/core/model.ts";
import { check, troubles } from "@trunkline/testing/conformance-trial.ts";
import {
  type Asked,
  type Change,
  isMalformed,
  isPlain,
  plainBody,
  type Reply,
  refuse,
  serveWith,
  when,
} from "@trunkline/testing/faulty-endpoint.ts";
import { findDeadPort, listen } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { createProvider } from "../../../../examples/provider/provider.mjs";

describe("conformance", () => {
  describe("the reference provider", () => {
    it.each([
      ["text", "/v1/generate", "bearer", false],
      ["text", "/v1/generate", "bearer", true],
      ["text", "/v1/generate", "x-api-key", true],
      ["multimodal", "/v1/generate", "bearer", true],
      ["image", "/image/v1/generate", "bearer", false],
      ["image", "/image/v1/generate", "x-api-key", true],
      ["audio", "/audio/v1/generate", "x-api-key", false],
    ] as const)("passes as %s at %s with %s, streaming: %s", async (type, path, authType, streaming) => {
      const { url } = await listen(createProvider({ key: "right" }));
      const report = await check(`${url}${path}`, { type, authType, streaming });
      expect(troubles(report)).toEqual([]);
      expect(report.passed).toBe(true);
    });

    it("is checked for everything in the contract", async () => {
      const { url } = await listen(createProvider({ key: "right" }));
      const { findings } = await check(`${url}/v1/generate`);
      expect(findings.map((finding) => finding.check)).toEqual([
        "reachable",
        "plain-answer",
        "output-form",
        "usage",
        "latency-reported",
        "latency",
        "content-type",
        "wrong-credential",
        "malformed-body",
        "missing-input",
        "max-tokens",
        "unicode",
        "consistent-format",
        "concurrency",
        "streaming",
        "streaming-end",
        "streaming-usage",
        "hang-up",
      ]);
    });
  });

  describe("the check", () => {
    it("says why an endpoint can't be reached, and sends nothing more", async () => {
      const report = await check(`http://127.0.0.1:${await findDeadPort()}/v1/generate`);
      expect(report.findings).toEqual([
        { check: "reachable", verdict: "fail", message: expect.stringContaining("nothing listens") },
      ]);
    });

    it("does not dial private addresses where that is not allowed", async () => {
      const endpoint = await serveWith((reply) => reply);
      const report = await check(endpoint, { mayDialPrivate: false });
      expect(troubles(report)).toEqual(["reachable: fail"]);
    });

    it("does not wait for ever for an endpoint that never answers", async () => {
      const endpoint = await serveWith(() => "taken");
      const limits = { ...DEFAULT_CALL_LIMITS, firstByteMs: 20 };
      expect(troubles(await check(endpoint, { limits }))).toEqual(["reachable: fail"]);
    });

    it("distinguishes an endless answer from an unreachable endpoint", async () => {
      const endpoint = await serveWith((reply) => ({ ...reply, body: "x".repeat(2_000) }));
      const limits = { ...DEFAULT_CALL_LIMITS, responseBytes: 1_000 };
      const report = await check(endpoint, { limits });
      expect(report.findings.map(({ check: name, verdict }) => [name, verdict])).toEqual([
        ["reachable", "pass"],
        ["plain-answer", "fail"],
      ]);
    });

    it("continues with the other checks when one gets no answer", async () => {
      const endpoint = await serveWith((reply, asked) => {
        if (!isMalformed(asked)) return reply;
        asked.response.destroy();
        return "taken";
      });
      expect(troubles(await check(endpoint))).toEqual(["malformed-body: fail"]);
    });

    it("disconnects in mid-stream in a way that the endpoint notices", async () => {
      let noticed: () => void = () => {};
      const hungUp = new Promise<void>((resolve) => {
        noticed = resolve;
      });
      const endpoint = await serveWith((reply, { body, times, response }) => {
        if (body?.stream !== true || times === 1) return reply;
        response.on("close", noticed);
        response.write('{"delta":"and then, "}\n');
        return "taken";
      });
      expect(troubles(await check(endpoint))).toEqual([]);
      await hungUp;
    });

    it("retries once when it is asked to retry later", async () => {
      const endpoint = await serveWith((reply, { times, response }) => {
        if (times > 1) return reply;
        response.setHeader("retry-after", "0");
        return refuse(429, "Later.");
      });
      expect(troubles(await check(endpoint, { streaming: false }))).toEqual([]);
    });

    it("warns about a slow endpoint", async () => {
      let now = 0;
      const slowClock: Clock = { now: () => 0, monotonicMs: () => (now += 600) };
      const report = await check(await serveWith((reply) => reply), {}, undefined, slowClock);
      expect(troubles(report)).toEqual(["latency: warn"]);
    });

    it("gives up on an endpoint for which a minute is not enough", async () => {
      let now = 0;
      const slowClock: Clock = { now: () => 0, monotonicMs: () => (now += 10_000) };
      const report = await check(await serveWith((reply) => reply), {}, undefined, slowClock);
      expect(report.findings.at(-1)).toMatchObject({ check: "time-box", verdict: "fail" });
      expect(report.passed).toBe(false);
    });

    it.each([
      ["at the first request", 1],
      ["later", 2],
    ])("has no findings when it is cancelled %s", async (_when, nth) => {
      const callOff = new AbortController();
      const endpoint = await serveWith((reply, { times }) => {
        if (times < nth) return reply;
        callOff.abort(new Error("called off"));
        return "taken";
      });
      await expect(check(endpoint, {}, callOff.signal)).rejects.toThrow("called off");
    });

    it("sends no key where the endpoint needs none, and does not expect a wrong one to be refused", async () => {
      const keys = new Set<string | undefined>();
      const endpoint = await serveWith((_reply, { key, body }) => {
        keys.add(key);
        if (typeof body?.input !== "string") return refuse(400, "No input.");
        return { status: 200, type: "application/json", body: { output: "hi", latency_ms: 1 } };
      });
      const report = await check(endpoint, { authType: "none", streaming: false });
      expect(troubles(report)).toEqual(["usage: warn"]);
      expect([...keys]).toEqual([undefined]);
    });

    it.each([
      ["bearer", { authorization: "Bearer right", "x-api-key": undefined }],
      ["x-api-key", { authorization: undefined, "x-api-key": "right" }],
    ] as const)("sends the key as %s and in no other way", async (authType, expected) => {
      const seen: object[] = [];
      const endpoint = await serveWith((_reply, { response: { req } }) => {
        const { authorization, "x-api-key": apiKey, "content-type": type } = req.headers;
        seen.push({ authorization, "x-api-key": apiKey, type });
        return refuse(500, "Enough.");
      });
      await check(endpoint, { authType });
      expect(seen).toEqual([{ ...expected, type: "application/json" }]);
    });

    it("says how to fix a stream that arrives in one piece", async () => {
      const endpoint = await serveWith(when(({ body }) => body?.stream === true, { body: { output: "hi" } }));
      const { findings } = await check(endpoint);
      const message = findings.find((finding) => finding.check === "streaming")?.message;
      expect(message).toContain("register the model with `streaming: false`");
    });

    it("shows neither the key nor terminal control characters", async () => {
      const endpoint = await serveWith(when(isPlain, refuse(400, "\u001b[2JThe key right is odd.")));
      const message = (await check(endpoint)).findings.at(-1)?.message;
      expect(message).toContain("“[2JThe key [secret] is odd.”");
    });
  });
});

describe("faults", () => {
  /** Changes only streamed answers. */
  const streamed =
    (body: string): Change =>
    (reply, asked) =>
      asked.body?.stream === true && reply.status === 200 ? { ...reply, body } : reply;

  const isWrongKey = ({ key }: Asked) => key !== "Bearer right";
  const isWithoutInput = ({ body }: Asked) => body !== undefined && body.input === undefined;
  const page = { type: "text/html", body: "<h1>Oops</h1>" };

  describe("a faulty endpoint", () => {
    it.each<[string, Change, string[]]>([
      ["has no fault", (reply) => reply, []],
      ["answers with a page", when(isPlain, page), ["plain-answer: fail"]],
      ["answers with a list", when(isPlain, { body: [] }), ["plain-answer: fail"]],
      ["answers with bytes that are no UTF-8", brokenBytes, ["plain-answer: fail"]],
      ["answers with 201", when(isPlain, { status: 201 }), ["plain-answer: fail"]],
      ["redirects", when(isPlain, { status: 308 }), ["plain-answer: fail"]],
      ["refuses its own key", when(isPlain, refuse(403, "No.")), ["plain-answer: fail"]],
      ["answers with an object for a text", plainBody({ output: { text: "hi" } }), ["output-form: fail"]],
      ["answers with an empty text", plainBody({ output: "" }), ["output-form: fail"]],
      ["reports no usage", plainBody({ usage: undefined }), ["usage: warn"]],
      ["reports a usage in words", plainBody({ usage: "four" }), ["usage: fail"]],
      ["reports half a usage", plainBody({ usage: { input_tokens: 4 } }), ["usage: fail"]],
      ["reports a negative usage", plainBody({ usage: { input_tokens: 4, output_tokens: -1 } }), ["usage: fail"]],
      ["reports no input", plainBody({ usage: { input_tokens: 0, output_tokens: 1 } }), ["usage: fail"]],
      [
        "has more in its cache than there was",
        plainBody({ usage: { input_tokens: 4, output_tokens: 1, cached_input_tokens: 5 } }),
        ["usage: fail"],
      ],
      [
        "reports its cache and its seconds",
        plainBody({ usage: { input_tokens: 4, output_tokens: 1, cached_input_tokens: 4, seconds: 0.5 } }),
        [],
      ],
      [
        "reports its seconds as a text",
        plainBody({ usage: { input_tokens: 4, output_tokens: 1, seconds: "1" } }),
        ["seconds: fail"],
      ],
      [
        "reports seconds below zero",
        plainBody({ usage: { input_tokens: 4, output_tokens: 1, seconds: -1 } }),
        ["seconds: fail"],
      ],
      ["reports no latency", plainBody({ latency_ms: undefined }), ["latency-reported: warn"]],
      ["reports its latency as a text", plainBody({ latency_ms: "fast" }), ["latency-reported: fail"]],
      ["says that it is slow", plainBody({ latency_ms: 900 }), ["latency: warn"]],
      ["declares its JSON as text", when(isPlain, { type: "text/plain" }), ["content-type: warn"]],
      ["declares nothing", when(isPlain, { type: undefined }), ["content-type: warn"]],
      ["accepts a wrong key", when(isWrongKey, { status: 200, body: { output: "hi" } }), ["wrong-credential: warn"]],
      ["refuses a wrong key with a page", when(isWrongKey, page), ["wrong-credential: warn"]],
      ["refuses a wrong key with 404", when(isWrongKey, { status: 404 }), ["wrong-credential: warn"]],
      ["breaks on a wrong key", when(isWrongKey, { status: 500 }), ["wrong-credential: fail"]],
      ["breaks on malformed JSON", when(isMalformed, { status: 500 }), ["malformed-body: fail"]],
      ["accepts malformed JSON", when(isMalformed, { status: 200 }), ["malformed-body: fail"]],
      [
        "has an error without a code",
        when(isMalformed, { body: { error: { message: "No." } } }),
        ["malformed-body: warn"],
      ],
      ["has an error that is a text", when(isMalformed, { body: { error: "No." } }), ["malformed-body: warn"]],
      ["breaks without an input", when(isWithoutInput, { status: 502 }), ["missing-input: fail"]],
      ["invents an input", when(isWithoutInput, { status: 200 }), ["missing-input: fail"]],
      [
        "has an error without a message",
        when(isWithoutInput, { body: { error: { code: 400 } } }),
        ["missing-input: warn"],
      ],
      ["breaks on emoji", when(isUnicode, { status: 500 }), ["unicode: fail"]],
      ["mangles emoji", when(isUnicode, { body: { output: "\ufffd" } }), ["unicode: warn"]],
      ["answers only once", when(isNth(2), { status: 500 }), ["consistent-format: fail"]],
      ["changes its form", when(isNth(2), { body: { output: {} } }), ["consistent-format: fail"]],
      ["forgets its usage", when(isNth(2), { body: { output: "hi", latency_ms: 1 } }), ["consistent-format: warn"]],
      ["breaks when it is busy", when(isNth(5), { status: 503 }), ["concurrency: fail"]],
      ["refuses calls when it is busy", when(isNth(5), refuse(429, "Later.")), ["concurrency: warn"]],
      ["streams its whole answer at once", streamed('{"output":"hi"}'), ["streaming: fail"]],
      ["streams nothing", streamed(""), ["streaming: fail"]],
      ["streams no text", streamed('{"delta":""}\n{"done":true}'), ["streaming: fail"]],
      ["streams no JSON", streamed("once upon a time"), ["streaming: fail"]],
      ["streams half an object", streamed('{"delta":"hi"}\n{"del'), ["streaming: fail"]],
      ["streams numbers", streamed('{"delta":1}\n{"done":true}'), ["streaming: fail"]],
      ["streams objects of its own", streamed('{"text":"hi"}\n{"done":true}'), ["streaming: fail"]],
      ["streams an error", streamed('{"delta":"hi"}\n{"error":{"message":"No."}}'), ["streaming: fail"]],
      ["never says that it is done", streamed('{"delta":"hi"}\n'), ["streaming-end: fail"]],
      ["goes on when it is done", streamed('{"delta":"a"}\n{"done":true}\n{"delta":"b"}'), ["streaming-end: fail"]],
      ["streams no usage", streamed('{"delta":"hi"}\n{"done":true}'), ["streaming-usage: warn"]],
      [
        "streams a false usage",
        streamed('{"delta":"hi"}{"done":true,"usage":{"input_tokens":1.5,"output_tokens":1}}'),
        ["streaming-usage: fail"],
      ],
      [
        "ends its events twice",
        streamed('data: {"delta":"hi"}\n\ndata: {"done":true}\n\ndata: [DONE]\n\n'),
        ["streaming-usage: warn"],
      ],
    ])("that %s is detected, and nothing else is blamed", async (_what, change, expected) => {
      const report = await check(await serveWith(change));
      expect(troubles(report)).toEqual(expected);
      expect(report.passed).toBe(!expected.some((trouble) => trouble.endsWith("fail")));
    });

    it.each([
      ["usage", { output: "one two", usage: { input_tokens: 4, output_tokens: 99 } }],
      ["words", { output: "one two three four five six", usage: { input_tokens: 4, output_tokens: 5 } }],
    ])("that ignores max_tokens is detected by its %s", async (_by, body) => {
      const isShort = (asked: Asked) => asked.body?.parameters?.max_tokens === 5;
      expect(troubles(await check(await serveWith(when(isShort, { body }))))).toEqual(["max-tokens: warn"]);
    });

    it("that breaks after a disconnect is detected", async () => {
      let streams = 0;
      const endpoint = await serveWith((reply, asked) => {
        if (asked.body?.stream === true) streams += 1;
        return streams === 2 && asked.body?.stream !== true ? { ...reply, status: 500 } : reply;
      });
      expect(troubles(await check(endpoint))).toEqual(["hang-up: fail"]);
    });

    it("that compresses without being asked is detected", async () => {
      const endpoint = await serveWith((reply, { response }) => {
        response.setHeader("content-encoding", "gzip");
        return reply;
      });
      const report = await check(endpoint);
      expect(troubles(report)).toEqual(["plain-answer: fail"]);
      expect(report.findings.at(-1)?.message).toContain("compressed by “gzip”");
    });
  });

  describe("images and audio", () => {
    it.each([
      ["image", { image_url: "https://example.com/a.png" }, []],
      ["image", { image_url: "data:image/png;base64,AAAA" }, []],
      ["image", { audio_url: "https://example.com/a.mp3" }, ["output-form: fail"]],
      ["image", "https://example.com/a.png", ["output-form: fail"]],
      ["image", { image_url: "/a.png" }, ["output-form: fail"]],
      ["image", { image_url: "javascript:alert(1)" }, ["output-form: fail"]],
      ["audio", { audio_url: "https://example.com/a.mp3" }, []],
      ["audio", { audio_url: 7 }, ["output-form: fail"]],
      ["multimodal", { audio_url: "https://example.com/a.mp3" }, []],
      ["multimodal", {}, ["output-form: fail"]],
      ["multimodal", 7, ["output-form: fail"]],
      ["embedding", [0.1, 0.2], []],
      ["embedding", undefined, ["output-form: fail"]],
    ] as const)("of type %s answering %j are judged", async (type, output, expected) => {
      const endpoint = await serveWith(plainBody({ output, usage: undefined }));
      expect(troubles(await check(endpoint, { type }))).toEqual(expected);
    });
  });

  function brokenBytes(reply: Reply, asked: Asked): Reply | "taken" {
    if (!isPlain(asked)) return reply;
    asked.response.end(Buffer.from('{"output":"\xff"}', "latin1"));
    return "taken";
  }

  function isUnicode({ key, body }: Asked): boolean {
    return key === "Bearer right" && typeof body?.input === "string" && body.input.includes("👋");
  }

  /** The n-th plain request: 1 is the first of all, 2 the consistency check, 3 to 5 are simultaneous. */
  function isNth(n: number) {
    return (asked: Asked) => isPlain(asked) && asked.times === n;
  }
});
