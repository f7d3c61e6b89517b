import { readFileSync } from "node:fs";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { awsError, awsEvent, awsException } from "@trunkline/testing/aws-events.ts";
import { expectForEveryCut, readPieces, readUntilFailure } from "@trunkline/testing/every-cut.ts";
import { describe, expect, it } from "vitest";
import { bedrockFormat } from "./format.ts";

const format = bedrockFormat();
const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const STREAM = fixture("stream.bin");
const usage: Part = {
  type: "usage",
  inputTokens: 21 + 1024 + 188,
  outputTokens: 89,
  cachedInputTokens: 1024,
  cacheWriteTokens: 188,
};
const words: Part[] = [
  {
    type: "thinking",
    text: "They ask for the weather in Zürich. 🌦️",
    signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h",
  },
  { type: "thinking", text: "", sealed: "RW13S0FoZ0I=" },
  { type: "text", text: 'I\'ll look that up "now", 你好 😀\n' },
  {
    type: "tool-call",
    id: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
    name: "get_weather",
    arguments: '{"location": "Zürich"}',
  },
  { type: "tool-call", id: "tooluse_9Wn0Q6mXRs2b0lJx1rYv3A", name: "get_time", arguments: "{}" },
];
const finish: Part = { type: "finish", reason: "tool-calls" };

const read = (...messages: readonly Buffer[]) => readPieces(format, [Buffer.concat(messages)]);
const delta = (text: string) => awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text } });
const closed = awsEvent("contentBlockStop", { contentBlockIndex: 0 });
const stopped = (stopReason: string, more = {}) => awsEvent("messageStop", { stopReason, ...more });
const counted = awsEvent("metadata", { usage: { inputTokens: 3, outputTokens: 2 }, metrics: {} });
const call = (input: string) => [
  awsEvent("contentBlockStart", {
    contentBlockIndex: 0,
    start: { toolUse: { toolUseId: "t1", name: "look" } },
  }),
  awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input } } }),
  closed,
];

describe("a stream of the Converse API", () => {
  it("gives the same parts wherever its bytes are cut", () => {
    expectForEveryCut(STREAM, (pieces) => readPieces(format, pieces), [...words, usage, finish]);
  });

  it("is never taken for complete where its text ends early, at any byte", () => {
    const metadataBytes = STREAM.length - STREAM.lastIndexOf("metadata") + ":event-type".length + 16;
    for (let length = 0; length < STREAM.length; length += 1) {
      const { parts, failure } = readUntilFailure(format, STREAM.subarray(0, length));
      if (failure === undefined) {
        // Only the usage is missing, and everything before it arrived.
        expect(STREAM.length - length).toBeLessThanOrEqual(metadataBytes);
        expect(parts).toEqual([...words, finish]);
      } else {
        expect(failure).toBeInstanceOf(ProviderFailure);
        expect(parts.some(({ type }) => type === "finish")).toBe(false);
      }
    }
  });

  it("with one flipped bit is never another answer", () => {
    for (let at = 0; at < STREAM.length; at += 7) {
      const turned = Buffer.from(STREAM);
      turned[at] = (turned[at] ?? 0) ^ 0x10;
      expect(readUntilFailure(format, turned).failure).toBeInstanceOf(ProviderFailure);
    }
  });

  it("that an exception ends fails with that exception, after the parts before it", () => {
    const { parts, failure } = readUntilFailure(format, fixture("throttled.bin"));
    expect(parts).toEqual([{ type: "text", text: "Okay" }]);
    expect(failure).toMatchObject({
      kind: "rate-limited",
      said: "Too many tokens, please wait before trying again.",
    });
  });

  it.each([
    ["internalServerException", "broken"],
    ["modelStreamErrorException", "broken"],
    ["serviceUnavailableException", "broken"],
    ["modelTimeoutException", "timeout"],
    ["validationException", "rejected"],
    ["ofTomorrowException", "broken"],
  ])("with the exception %s is %s", (name, kind) => {
    const { failure } = readUntilFailure(format, awsException(name, { message: "Because." }));
    expect(failure).toMatchObject({ kind, said: "Because." });
  });

  it("with a transport error fails", () => {
    const { failure } = readUntilFailure(format, awsError("InternalError", "Lost."));
    expect(failure).toMatchObject({ kind: "broken", reason: "reported an error: Lost." });
  });

  it.each([
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool-calls"],
    ["guardrail_intervened", "refused"],
    ["content_filtered", "refused"],
    ["malformed_model_output", "unknown"],
  ])("that stops for the reason %s is %s", (stopReason, reason) => {
    expect(read(delta("Hi"), closed, stopped(stopReason), counted)).toEqual([
      { type: "text", text: "Hi" },
      { type: "usage", inputTokens: 3, outputTokens: 2 },
      { type: "finish", reason },
    ]);
  });

  it("names the stop sequence that ended it, where the model returns it", () => {
    const more = { additionalModelResponseFields: { stop_sequence: "END" } };
    expect(read(stopped("stop_sequence", more), counted).at(-1)).toEqual({
      type: "finish",
      reason: "stop",
      stopSequence: "END",
    });
  });

  it("leaves out a tool call that the end of the answer truncated", () => {
    const ended = { type: "finish", reason: "length" };
    expect(read(...call('{"a": "b'), stopped("max_tokens"), counted)).toEqual([
      { type: "usage", inputTokens: 3, outputTokens: 2 },
      ended,
    ]);
  });

  it.each([
    ["a call whose arguments are no object", [...call("{"), stopped("tool_use"), counted]],
    ["an end within a block", [delta("Hi"), stopped("end_turn"), counted]],
    ["no end", [delta("Hi"), closed]],
    ["usage before the end", [delta("Hi"), closed, counted]],
    ["an event that is no object", [awsEvent("contentBlockDelta", [1])]],
    ["an impossible length", [Buffer.from([0, 0, 0, 3, 0, 0, 0, 0])]],
    ["JSON in place of events", [Buffer.from('{"message":"hi"}')]],
  ])("with %s is broken", (_what, messages) => {
    expect(() => read(...messages)).toThrow(ProviderFailure);
  });

  it("with an event beyond the chunk limit is too large, before it has arrived", () => {
    expect(() => read(Buffer.from([0, 1, 0, 1]))).toThrow(expect.objectContaining({ kind: "too-large" }));
  });
});

describe("a whole answer of the Converse API", () => {
  it("gives usage, blocks and the finish, wherever it is cut", () => {
    const parts: Part[] = [
      {
        type: "usage",
        inputTokens: 12 + 100 + 2051,
        outputTokens: 25,
        cachedInputTokens: 100,
        cacheWriteTokens: 2051,
      },
      { type: "thinking", text: "Let me see.", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" },
      { type: "thinking", text: "", sealed: "RW13S0FoZ0I=" },
      { type: "text", text: "Hello — 你好!" },
      {
        type: "tool-call",
        id: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
        name: "get_weather",
        arguments: '{"location":"Zürich"}',
      },
      finish,
    ];
    expectForEveryCut(fixture("answer.json"), (pieces) => readPieces(format, pieces, false), parts);
  });

  it("that is truncated is broken, at any byte", () => {
    const bytes = fixture("answer.json");
    for (let length = 0; length < bytes.lastIndexOf("}"); length += 1)
      expect(() => readPieces(format, [bytes.subarray(0, length)], false)).toThrow(ProviderFailure);
  });

  it.each(["{}", '{"output":{}}', '{"output":{"message":{"content":"hi"}}}', "[]", "<html>"])(
    "that is invalid is broken: %s",
    (body) => {
      expect(() => readPieces(format, [Buffer.from(body)], false)).toThrow(ProviderFailure);
    },
  );
});
