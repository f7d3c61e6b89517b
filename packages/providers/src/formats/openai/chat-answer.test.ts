import { readFileSync } from "node:fs";
import type { Part } from "@trunkline/core/answer.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import { expectNeverShort, expectSameForEveryCut } from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { openAiFormat } from "./format.ts";

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
    parts: [
      text('Grüße, "du"\n😀'),
      usage(1318, 9, { cachedInputTokens: 1280, reasoningTokens: 0 }),
      finish("stop"),
    ],
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

  it("never passes for whole when it breaks off", () => {
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
    "openai-refusal": [
      usage(81, 11, { reasoningTokens: 0 }),
      text("I can't help with that."),
      finish("refused"),
    ],
    "deepseek-reasoning": [
      usage(16, 10, { cachedInputTokens: 12, reasoningTokens: 7 }),
      thinking("A greeting."),
      text("Hello!"),
      finish("stop"),
    ],
    "xai-reasoning": [
      usage(32, 103, { cachedInputTokens: 6, reasoningTokens: 94 }),
      text("42"),
      finish("stop"),
    ],
    "ollama-tools": [
      usage(170, 25),
      call("call_0192ab_0_0", "get_weather", '{"city":"Paris"}'),
      call("call_0192ab_0_1", "get_weather", '{"city":"Rome"}'),
      finish("tool-calls"),
    ],
  };

  it.each(Object.entries(WHOLE))("%s is read, also where a stream was asked for", (name, parts) => {
    for (const streaming of [false, true]) {
      const choices = name === "openai-two-choices" ? 2 : 1;
      const answer = answerOf(`${name}.json`, { choices }, streaming);
      expect(expectSameForEveryCut(answer)).toEqual(parts);
      expectNeverShort(answer);
    }
  });
});
