import { readFileSync } from "node:fs";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { expectNeverShort, expectSameForEveryCut, readPieces } from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { openAiFormat } from "./format.ts";

describe("recorded answers", () => {
  const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));

  /** A recorded answer to a chat. */
  function answerOf(name: string, parameters: Partial<Parameters> = {}, streaming = true) {
    const inference = makeInference({ streaming, parameters: { ...NO_PARAMETERS, ...parameters } });
    const model = makeModel({ wire: "openai" });
    const signal = new AbortController().signal;
    const call = { model, inference, requestId: "0192-ab", signal };
    return { format: openAiFormat, call, bytes: fixture(name), streaming };
  }

  const text = (words: string): Part => ({ type: "text", text: words });
  const thinking = (words: string): Part => ({ type: "thinking", text: words });
  const call = (id: string, name: string, given: string): Part => ({
    type: "tool-call",
    id,
    name,
    arguments: given,
  });
  const usage = (inputTokens: number, outputTokens: number, more: object = {}): Part => ({
    type: "usage",
    inputTokens,
    outputTokens,
    ...more,
  });
  const finish = (reason: Extract<Part, { type: "finish" }>["reason"], more: object = {}): Part => ({
    type: "finish",
    reason,
    ...more,
  });
  const NO_DETAILS = { cachedInputTokens: 0, reasoningTokens: 0 };

  interface Stream {
    readonly parameters?: Partial<Parameters>;
    readonly parts: readonly Part[];
  }

  const STREAMS: Readonly<Record<string, Stream>> = {
    "openai-text": {
      parts: [text('Grüße, "du"\n😀'), usage(1318, 9, { cachedInputTokens: 1280, reasoningTokens: 0 }), finish("stop")],
    },
    "openai-tools": {
      parts: [
        call("call_DdmO9pD3xa9XTPNJ32zg2hcA", "get_weather", '{"city":"Köln"}'),
        usage(82, 17, NO_DETAILS),
        finish("tool-calls"),
      ],
    },
    "openai-parallel-tools": {
      parts: [
        text("Let me see."),
        call("call_1", "get_weather", '{"city":"Oslo"}'),
        call("call_2", "get_time", '{"zone":"CET"}'),
        usage(82, 17, NO_DETAILS),
        finish("tool-calls"),
      ],
    },
    "openai-json-schema": {
      parts: [text('{"name":"Ada","born":1815}'), usage(82, 17, NO_DETAILS), finish("stop")],
    },
    "openai-logprobs": {
      parameters: { logprobs: 2 },
      parts: [
        text("Yes!"),
        {
          type: "logprobs",
          content: [
            expect.objectContaining({ token: "Yes", logprob: -0.1 }),
            expect.objectContaining({ token: "!", logprob: -0.02 }),
          ],
        },
        usage(82, 17, NO_DETAILS),
        finish("stop"),
      ],
    },
    "openai-n2": {
      parameters: { choices: 2 },
      parts: [
        text("He"),
        { type: "text", text: "Good", choice: 1 },
        text("llo"),
        { type: "text", text: " day", choice: 1 },
        usage(9, 4),
        finish("stop"),
        finish("length", { choice: 1 }),
      ],
    },
    "openai-refusal": {
      parts: [text("I'm sorry, I can't."), usage(82, 17, NO_DETAILS), finish("refused")],
    },
    "azure-filtered": { parts: [text("Once"), usage(82, 17, NO_DETAILS), finish("refused")] },
    "deepseek-reasoning": {
      parts: [
        thinking("9.11 or 9.8?"),
        text("9.8"),
        usage(20, 60, { cachedInputTokens: 16, reasoningTokens: 54 }),
        finish("stop"),
      ],
    },
    "groq-reasoning": { parts: [thinking("Easy"), text("Four"), usage(18, 12), finish("stop")] },
    "openrouter-reasoning": {
      parts: [
        thinking("Hm."),
        text("Sure."),
        usage(14, 8, { cachedInputTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 }),
        finish("stop"),
      ],
    },
    "vllm-stopped": {
      parameters: { stop: ["three"] },
      parts: [text("one, two"), usage(11, 4), finish("stop", { stopSequence: "three" })],
    },
    "vllm-tools": {
      parts: [call("chatcmpl-tool-9f", "get_weather", '{"city": "Rome"}'), usage(11, 4), finish("tool-calls")],
    },
    "ollama-tools": {
      parts: [
        thinking("The user asks."),
        call("call_0192ab_0_0", "get_weather", '{"city":"Paris"}'),
        call("call_0192ab_0_1", "get_time", "{}"),
        usage(170, 25),
        finish("tool-calls"),
      ],
    },
    "mistral-thinking": {
      parts: [thinking("Let me think"), text("Done"), usage(10, 6), finish("length")],
    },
    "perplexity-text": { parts: [text("Paris"), usage(5, 5), finish("stop")] },
  };

  describe.each(Object.entries(STREAMS))("the stream %s", (name, { parameters, parts }) => {
    const answer = answerOf(`${name}.sse`, parameters);

    it("is read the same wherever it is cut", () => {
      expect(expectSameForEveryCut(answer)).toEqual(parts);
    });

    it("is never taken for complete when it is truncated", () => {
      expectNeverShort(answer, true);
    });
  });

  describe("a whole answer", () => {
    const WHOLE: Readonly<Record<string, readonly Part[]>> = {
      "openai-text": [usage(19, 10, NO_DETAILS), text("Hello! How can I assist you today?"), finish("stop")],
      "openai-parallel-tools": [
        usage(82, 17),
        call("call_a", "get_weather", '{"city":"Oslo"}'),
        call("call_b", "get_time", "{}"),
        finish("tool-calls"),
      ],
      "openai-two-choices": [
        usage(9, 2),
        text("Heads"),
        { type: "text", text: "Tails", choice: 1 },
        { type: "logprobs", content: [expect.objectContaining({ token: "Heads" })] },
        finish("stop"),
        finish("stop", { choice: 1 }),
      ],
      "openai-refusal": [usage(81, 11, { reasoningTokens: 0 }), text("I can't help with that."), finish("refused")],
      "deepseek-reasoning": [
        usage(16, 10, { cachedInputTokens: 12, reasoningTokens: 7 }),
        thinking("A greeting."),
        text("Hello!"),
        finish("stop"),
      ],
      "xai-reasoning": [usage(32, 103, { cachedInputTokens: 6, reasoningTokens: 94 }), text("42"), finish("stop")],
      "ollama-tools": [
        usage(170, 25),
        call("call_0192ab_0_0", "get_weather", '{"city":"Paris"}'),
        call("call_0192ab_0_1", "get_weather", '{"city":"Rome"}'),
        finish("tool-calls"),
      ],
    };

    it.each(Object.entries(WHOLE))("%s is read, also where a stream was requested", (name, parts) => {
      for (const streaming of [false, true]) {
        const choices = name === "openai-two-choices" ? 2 : 1;
        const answer = answerOf(`${name}.json`, { choices }, streaming);
        expect(expectSameForEveryCut(answer)).toEqual(parts);
        expectNeverShort(answer);
      }
    });
  });
});

describe("failures", () => {
  const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));

  const SIGNAL = new AbortController().signal;

  /** The parts of a stream that arrives in these pieces. */
  function partsOf(parameters: Partial<Parameters>, ...pieces: readonly Buffer[]) {
    const inference = makeInference({ parameters: { ...NO_PARAMETERS, ...parameters } });
    const call = { model: makeModel({ wire: "openai" }), inference, requestId: "0192-ab", signal: SIGNAL };
    return readPieces({ format: openAiFormat, call, bytes: Buffer.of(), streaming: true }, pieces);
  }

  describe("an answer that fails", () => {
    const read = (...objects: readonly unknown[]) =>
      partsOf({}, ...objects.map((object) => Buffer.from(`data: ${JSON.stringify(object)}\n\n`)));
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    });

    it("reports an error in the stream, with the provider's message", () => {
      expect(() => partsOf({}, fixture("openrouter-broken.sse"))).toThrow(
        expect.objectContaining({
          kind: "broken",
          reason: "reported an error: Provider disconnected",
          said: "Provider disconnected",
        }),
      );
    });

    it.each([
      [{ error: { message: "slow down", type: "rate_limit_error" } }, "rate-limited"],
      [{ error: { message: "no money", code: "insufficient_quota" } }, "refused"],
      [{ error: { message: "too long", code: "context_length_exceeded" } }, "rejected"],
      [{ error: { message: "who?", code: "401" } }, "refused"],
      [{ error: "cuda out of memory" }, "broken"],
      [{ object: "error", message: "bad", type: "BadRequestError", code: 400 }, "rejected"],
      [{ x_groq: { id: "r", error: { message: "over capacity" } } }, "broken"],
    ])("reads %j within a stream as %s", (error, kind) => {
      expect(() => read(chunk({ content: "h" }), error)).toThrow(expect.objectContaining({ kind }));
    });

    it.each(["error", "network_error", "insufficient_system_resource"])(
      "treats the finish reason %j as a failure",
      (reason) => {
        expect(() => read(chunk({ content: "h" }), chunk({}, reason))).toThrow(
          expect.objectContaining({ kind: "broken", reason: "broke down before its answer was complete" }),
        );
      },
    );

    it("fails where the second of two requested answers is missing", () => {
      const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: "h" }, "stop"))}\n\n`);
      expect(() => partsOf({ choices: 2 }, bytes)).toThrow("ended its stream before it was done");
    });

    it("fails where there are more answers than requested", () => {
      const another = { choices: [{ index: 1, delta: { content: "h" }, finish_reason: "stop" }] };
      expect(() => read(chunk({ content: "h" }), another)).toThrow("gave more answers than were asked for");
    });

    it.each(["", "{}", '{"choices":[]}', '{"choices":null}', "data: [DONE]\n\n", '{"object":"list","data":[]}'])(
      "finds no answer in %j",
      (body) => {
        expect(() => partsOf({}, Buffer.from(body))).toThrow("the answer has no output");
      },
    );

    it("treats the end marker as the end where no finish reason was given", () => {
      const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: "h" }))}\n\ndata: [DONE]\n\n`);
      expect(partsOf({}, bytes)).toEqual([
        { type: "text", text: "h" },
        { type: "finish", reason: "unknown" },
      ]);
    });

    it("yields all parts before the failure", () => {
      const parts: Part[] = [];
      const call = { model: makeModel(), inference: makeInference(), requestId: "r1", signal: SIGNAL };
      const answer = openAiFormat.read(call, { headers: {}, streaming: true });
      expect(() => {
        for (const object of [chunk({ content: "h" }), { error: { message: "gone" } }])
          answer.push(Buffer.from(`data: ${JSON.stringify(object)}\n\n`), parts);
      }).toThrow("gone");
      expect(parts).toEqual([{ type: "text", text: "h" }]);
    });

    it("reads a stream that repeats the whole answer at its end only once", () => {
      const repeated = { choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }] };
      expect(read(chunk({ content: "h" }), chunk({ content: "i" }), repeated)).toEqual([
        { type: "text", text: "hi" },
        { type: "finish", reason: "stop" },
      ]);
    });

    it.each([
      ["a number", { content: 5 }],
      ["an empty list", { content: [null, 1, {}] }],
      ["invalid calls", { content: "", tool_calls: "x", function_call: 3 }],
      ["invalid thinking", { reasoning_content: {}, reasoning: 7, refusal: [] }],
    ])("is broken with %s", (_name, delta) => {
      expect(read(chunk(delta, "stop"))).toEqual([{ type: "finish", reason: "stop" }]);
    });

    it("assembles calls with the same index or none, and the legacy kind of call", () => {
      const piece = (more: object) => chunk({ tool_calls: [more] });
      const calls = read(
        piece({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
        piece({ index: 0, id: "b", function: { name: "g", arguments: "[1" } }),
        piece({ index: 0, function: { arguments: "]" } }),
        chunk({ function_call: { name: "h", arguments: "{" } }),
        chunk({ function_call: { arguments: "}" } }, "function_call"),
      );
      expect(calls).toEqual([
        { type: "tool-call", id: "a", name: "f", arguments: "{}" },
        { type: "tool-call", id: "b", name: "g", arguments: "[1]" },
        { type: "tool-call", id: "call_0192ab_0_2", name: "h", arguments: "{}" },
        { type: "finish", reason: "tool-calls" },
      ]);
    });
  });
});
