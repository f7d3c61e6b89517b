import { readFileSync } from "node:fs";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import {
  expectNeverShort,
  expectSameForEveryCut,
  readPieces,
  type WireAnswer,
} from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { cohereFormat } from "./format.ts";

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

function answerOf(bytes: Buffer | object, model: Partial<Model> = {}, inference: Partial<Inference> = {}): WireAnswer {
  const isBytes = Buffer.isBuffer(bytes);
  return {
    format: cohereFormat,
    call: {
      model: makeModel({ wire: "cohere", ...model }),
      inference: makeInference(inference),
      requestId: "r1",
      signal: new AbortController().signal,
    },
    bytes: isBytes ? bytes : Buffer.from(JSON.stringify(bytes)),
    streaming: isBytes && bytes.subarray(0, 6).toString() === "event:",
  };
}

const read = (bytes: Buffer | object) => {
  const answer = answerOf(bytes);
  return readPieces(answer, [answer.bytes]);
};

describe("a stream of Cohere", () => {
  it.each<[string, Part[]]>([
    [
      "stream-text.sse",
      [
        { type: "text", text: "Grüße aus 東京 👋" },
        { type: "usage", inputTokens: 5, outputTokens: 7, cachedInputTokens: 3 },
        { type: "finish", reason: "stop" },
      ],
    ],
    [
      "stream-tools.sse",
      [
        { type: "thinking", text: "I will look up the weather." },
        {
          type: "tool-call",
          id: "get_weather_nsz5zm3w56q3",
          name: "get_weather",
          arguments: '{"city": "Zürich"}',
        },
        { type: "tool-call", id: "now_ffkk2kvh5pyv", name: "now", arguments: "{}" },
        { type: "usage", inputTokens: 37, outputTokens: 28 },
        { type: "finish", reason: "tool-calls" },
      ],
    ],
    [
      "stream-thinking.sse",
      [
        { type: "thinking", text: "Two and two is four." },
        { type: "text", text: "4." },
        {
          type: "logprobs",
          content: [
            { token: "4", logprob: -0.125, bytes: [52], top_logprobs: [] },
            { token: ".", logprob: -0.5, bytes: [46], top_logprobs: [] },
          ],
        },
        { type: "usage", inputTokens: 9, outputTokens: 14 },
        { type: "finish", reason: "length" },
      ],
    ],
  ])("is the same wherever it is cut, and never taken for complete when truncated: %s", (name, parts) => {
    const answer = answerOf(fixture(name));
    expect(expectSameForEveryCut(answer)).toEqual(parts);
    expectNeverShort(answer);
  });

  it("fails with an error at its end, wherever it is cut", () => {
    const answer = answerOf(fixture("stream-error.sse"));
    const { bytes } = answer;
    expect(() => readPieces(answer, [bytes])).toThrow(
      expect.objectContaining({ kind: "broken", reason: "reported an error: The generation failed." }),
    );
    for (let at = 0; at <= bytes.length; at += 1)
      expect(() => readPieces(answer, [bytes.subarray(0, at), bytes.subarray(at)])).toThrow();
  });

  it("fails with an error in its middle", () => {
    const events = (...all: object[]) =>
      Buffer.from(all.map((one) => `event: x\ndata: ${JSON.stringify(one)}\n\n`).join(""));
    const start = { type: "message-start" };
    expect(() => read(events(start, { type: "error", message: "too bad" }))).toThrow("reported an error: too bad");
    expect(() => read(events(start, { message: "too bad" }))).toThrow("reported an error: too bad");
    expect(() => read(events(start, { type: "message-end", delta: { finish_reason: "TIMEOUT" } }))).toThrow(
      expect.objectContaining({ kind: "timeout" }),
    );
  });

  it("yields a call without an end event, and refuses one with invalid arguments", () => {
    const call = (input: string) => [
      {
        type: "tool-call-start",
        index: 0,
        delta: { message: { tool_calls: { id: "c1", function: { name: "look", arguments: input } } } },
      },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
    ];
    const events = (input: string) =>
      Buffer.from(
        `event: x\n${call(input)
          .map((one) => `data: ${JSON.stringify(one)}\n\n`)
          .join("")}`,
      );
    expect(read(events('{"a":1}'))).toEqual([
      { type: "tool-call", id: "c1", name: "look", arguments: '{"a":1}' },
      { type: "finish", reason: "tool-calls" },
    ]);
    expect(() => read(events('{"a":'))).toThrow("wrote a call of a tool that can't be read");
  });
});

describe("a whole answer of Cohere", () => {
  it.each<[string, Part[]]>([
    [
      "whole-text.json",
      [
        { type: "text", text: "Hello there." },
        { type: "usage", inputTokens: 5, outputTokens: 3 },
        { type: "finish", reason: "stop" },
      ],
    ],
    [
      "whole-tools.json",
      [
        { type: "thinking", text: "I will look." },
        { type: "tool-call", id: "get_weather_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
        { type: "usage", inputTokens: 30, outputTokens: 12 },
        { type: "finish", reason: "tool-calls" },
      ],
    ],
  ])("is the same wherever it is cut, and never taken for complete when truncated: %s", (name, parts) => {
    const answer = answerOf(fixture(name));
    expect(expectSameForEveryCut(answer)).toEqual(parts);
    expectNeverShort(answer);
  });

  it.each([
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop"],
    ["MAX_TOKENS", "length"],
    ["TOOL_CALL", "tool-calls"],
    ["SOMETHING_NEW", "unknown"],
    ["constructor", "unknown"],
    [undefined, "unknown"],
  ])("that ended with %s ends with %s", (given, reason) => {
    const answer = { message: { content: "hi" }, finish_reason: given };
    expect(read(answer)).toEqual([
      { type: "text", text: "hi" },
      { type: "finish", reason },
    ]);
  });

  it("counts all tokens where none are billed, and none where there is no usage", () => {
    const answer = { message: { content: [] }, finish_reason: "COMPLETE" };
    expect(read({ ...answer, usage: { tokens: { input_tokens: 9, output_tokens: 2 } } })[0]).toEqual({
      type: "usage",
      inputTokens: 9,
      outputTokens: 2,
    });
    expect(read({ ...answer, usage: {} })).toHaveLength(1);
    expect(read({ ...answer, usage: { billed_units: { input_tokens: 1 }, cached_tokens: 5 } })[0]).toEqual({
      type: "usage",
      inputTokens: 1,
      outputTokens: 0,
    });
  });

  it.each([[{}], [{ id: "x" }]])("is broken without a message: %j", (answer) => {
    expect(() => read(answer)).toThrow("ended its answer before it was finished");
  });
});

describe("embeddings of Cohere", () => {
  const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
  const embedding = (bytes: Buffer | object, ...inputs: string[]) =>
    answerOf(bytes, { type: "embedding" }, { conversation: { messages: inputs.map(user), tools: [] } });

  it("are one vector per input, with the billed tokens", () => {
    const answer = embedding(fixture("embeddings.json"), "one", "two");
    expect(expectSameForEveryCut(answer)).toEqual([
      { type: "embedding", index: 0, vector: [0.016296387, -0.008354187] },
      { type: "embedding", index: 1, vector: [0.5, 0.25] },
      { type: "usage", inputTokens: 4, outputTokens: 0 },
      { type: "finish", reason: "stop" },
    ]);
    expectNeverShort(answer);
  });

  it("are broken where there are too few, or none", () => {
    const one = embedding(fixture("embeddings.json"), "one");
    expect(() => readPieces(one, [one.bytes])).toThrow("answered with 2 vectors to 1 input");
    const none = embedding({ message: "no" }, "one");
    expect(() => readPieces(none, [none.bytes])).toThrow("answered with 0 vectors to 1 input");
  });
});
