import { readFileSync } from "node:fs";
import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { expectForEveryCut, readPieces, readUntilFailure, someCall } from "@trunkline/testing/every-cut.ts";
import { makeInference } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { events } from "../../../../../server/test/support/scripted-upstream.ts";
import { anthropicFormat } from "./format.ts";

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const STREAM = fixture("stream.sse");

const STREAMED: Part[] = [
  {
    type: "thinking",
    text: "The user asks for the weather in Zürich. 🌦️",
    signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h",
  },
  { type: "thinking", text: "", sealed: "EmwKAhgBEgy3va3pzix/LafPsn4a" },
  { type: "text", text: 'I\'ll look that up "now", 你好 😀\n' },
  {
    type: "tool-call",
    id: "toolu_01T1x1fJ34qAmk2tNTrN7Up6",
    name: "get_weather",
    arguments: '{"location": "Zürich"}',
  },
  { type: "tool-call", id: "toolu_01NRLabsLyVHZPKxbKvkfSMn", name: "get_time", arguments: "{}" },
  {
    type: "usage",
    inputTokens: 21 + 188 + 1024,
    outputTokens: 89,
    cachedInputTokens: 1024,
    cacheWriteTokens: 188,
    reasoningTokens: 17,
  },
  { type: "finish", reason: "tool-calls" },
];

const readEvents = (...objects: readonly unknown[]) =>
  readPieces(anthropicFormat, [Buffer.from(events(...objects).join(""))]);
const start = { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } };
const stop = { type: "message_stop" };
const ending = (delta: object) => ({ type: "message_delta", delta, usage: { output_tokens: 5 } });
const usage = { type: "usage", inputTokens: 3, outputTokens: 5 };
const toolBlock = (...pieces: readonly string[]) => [
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "t1", name: "look", input: {} },
  },
  ...pieces.map((partial_json) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json },
  })),
  { type: "content_block_stop", index: 0 },
];

describe("a stream of the Messages API", () => {
  it("gives the same parts wherever its bytes are cut", () => {
    expectForEveryCut(STREAM, (pieces) => readPieces(anthropicFormat, pieces), STREAMED);
  });

  it("is never taken for complete where it ends early, at any byte", () => {
    const lastByte = STREAM.lastIndexOf("}");
    for (let length = 0; length < lastByte; length += 1) {
      const { parts, failure } = readUntilFailure(anthropicFormat, STREAM.subarray(0, length));
      expect(failure).toBeInstanceOf(ProviderFailure);
      expect(parts.some(({ type }) => type === "finish")).toBe(false);
    }
    expect(readUntilFailure(anthropicFormat, STREAM.subarray(0, lastByte + 1)).parts).toEqual(STREAMED);
  });

  it("passes on text immediately, and a tool call when it is complete", () => {
    const reader = anthropicFormat.read(someCall(), { headers: {}, streaming: true });
    const seen = events(start, ...toolBlock('{"a":', "1}")).map((event) => {
      const parts: Part[] = [];
      reader.push(Buffer.from(event), parts);
      return parts;
    });
    const call = { type: "tool-call", id: "t1", name: "look", arguments: '{"a":1}' };
    expect(seen).toEqual([[], [], [], [], [call]]);
  });

  it("that an error ends fails with that error, after the parts before it", () => {
    const { parts, failure } = readUntilFailure(anthropicFormat, fixture("overloaded.sse"));
    expect(parts).toEqual([{ type: "text", text: "Okay" }]);
    expect(failure).toMatchObject({
      kind: "overloaded",
      reason: "reported an error: Overloaded",
      said: "Overloaded",
    });
  });

  it.each([
    ["rate_limit_error", "rate-limited", true],
    ["invalid_request_error", "rejected", false],
    ["request_too_large", "rejected", false],
    ["authentication_error", "refused", true],
    ["billing_error", "refused", true],
    ["timeout_error", "timeout", true],
    ["api_error", "broken", true],
    ["one_of_tomorrow", "broken", true],
  ])("with an error of type %s is %s", (type, kind, blamesEndpoint) => {
    const error = { type: "error", error: { type, message: "Because." } };
    const { failure } = readUntilFailure(anthropicFormat, Buffer.from(events(start, error).join("")));
    expect(failure).toMatchObject({ kind, blamesEndpoint, said: "Because." });
  });

  it.each([
    ["end_turn", { type: "finish", reason: "stop" }],
    ["max_tokens", { type: "finish", reason: "length" }],
    ["model_context_window_exceeded", { type: "finish", reason: "length" }],
    ["tool_use", { type: "finish", reason: "tool-calls" }],
    ["refusal", { type: "finish", reason: "refused" }],
    ["pause_turn", { type: "finish", reason: "unknown" }],
    ["of_tomorrow", { type: "finish", reason: "unknown" }],
  ])("that stops for the reason %s", (stop_reason, finish) => {
    expect(readEvents(start, ending({ stop_reason, stop_sequence: null }), stop)).toEqual([usage, finish]);
  });

  it("names the stop sequence that ended it", () => {
    const finish = { type: "finish", reason: "stop", stopSequence: "END" };
    expect(readEvents(start, ending({ stop_reason: "stop_sequence", stop_sequence: "END" }), stop)).toEqual([
      usage,
      finish,
    ]);
  });

  it("leaves out a tool call that the end of the answer truncated", () => {
    expect(readEvents(start, ...toolBlock('{"a": "b'), ending({ stop_reason: "max_tokens" }), stop)).toEqual([
      usage,
      { type: "finish", reason: "length" },
    ]);
  });

  it.each([
    ["a call whose arguments are not JSON", [...toolBlock('{"a": '), ending({ stop_reason: "tool_use" }), stop]],
    ["a call whose arguments are no object", [...toolBlock("[1]"), ending({ stop_reason: "tool_use" }), stop]],
    ["an end without a reason", [stop]],
    ["an end within a block", [toolBlock()[0], ending({ stop_reason: "end_turn" }), stop]],
    ["a piece of a block that is not open", [toolBlock("{}")[1]]],
    ["an invalid block", [{ type: "content_block_start", index: 0 }]],
    [
      "an invalid text",
      [
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 5 } },
      ],
    ],
  ])("with %s is broken", (_what, objects) => {
    expect(() => readEvents(start, ...objects)).toThrow(ProviderFailure);
  });

  it("may come without usage", () => {
    expect(
      readEvents({ type: "message_start" }, { type: "message_delta", delta: { stop_reason: "end_turn" } }, stop),
    ).toEqual([{ type: "finish", reason: "stop" }]);
  });
});

describe("a whole message", () => {
  it("gives usage, blocks and the finish, wherever it is cut", () => {
    const bytes = fixture("message.json");
    const parts: Part[] = [
      {
        type: "usage",
        inputTokens: 12 + 2051 + 100,
        outputTokens: 25,
        cachedInputTokens: 100,
        cacheWriteTokens: 2051,
      },
      { type: "thinking", text: "Let me see.", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" },
      { type: "thinking", text: "", sealed: "EmwKAhgBEgy3va3pzix" },
      { type: "text", text: "Hello — 你好!" },
      {
        type: "tool-call",
        id: "toolu_01A09q90qw90lq917835lq9",
        name: "get_weather",
        arguments: '{"location":"Zürich","unit":"celsius"}',
      },
      { type: "finish", reason: "tool-calls" },
    ];
    expectForEveryCut(bytes, (pieces) => readPieces(anthropicFormat, pieces, false), parts);
  });

  it("that is truncated is broken, at any byte", () => {
    const bytes = fixture("message.json");
    for (let length = 0; length < bytes.lastIndexOf("}"); length += 1)
      expect(() => readPieces(anthropicFormat, [bytes.subarray(0, length)], false)).toThrow(ProviderFailure);
  });

  it.each(["{}", '{"type":"message"}', '{"type":"message","content":"hi"}', "[]", "<html>", '"hi"'])(
    "that is invalid is broken: %s",
    (body) => {
      expect(() => readPieces(anthropicFormat, [Buffer.from(body)], false)).toThrow(ProviderFailure);
    },
  );

  it("has no usage where the counts are invalid", () => {
    const content = [{ type: "text", text: "hi" }];
    const message = { type: "message", content, stop_reason: "end_turn", usage: { input_tokens: "3" } };
    expect(readPieces(anthropicFormat, [Buffer.from(JSON.stringify(message))], false)[0]).toEqual({
      type: "usage",
      inputTokens: undefined,
      outputTokens: undefined,
    });
  });
});

describe("an answer by the input of a tool", () => {
  const schema = { type: "object", properties: { city: { type: "string" } } };
  const call = {
    ...someCall(),
    inference: makeInference({
      conversation: { ...conversationOf("Where?"), answerForm: { type: "schema", name: "place", schema } },
    }),
  };
  const read = (streaming: boolean, bytes: string) => {
    const reader = anthropicFormat.read(call, { headers: {}, streaming });
    const parts: Part[] = [];
    reader.push(Buffer.from(bytes), parts);
    return [...parts, ...reader.end()];
  };

  it("is a text, whole and streamed, and ends as one", () => {
    const block = { type: "tool_use", id: "t1", name: "answer", input: { city: "Bern" } };
    const whole = {
      type: "message",
      content: [block],
      stop_reason: "tool_use",
      usage: { input_tokens: 3, output_tokens: 5 },
    };
    expect(read(false, JSON.stringify(whole))).toEqual([
      usage,
      { type: "text", text: '{"city":"Bern"}' },
      { type: "finish", reason: "stop" },
    ]);
    const [opening, ...rest] = toolBlock('{"city":', '"Bern"}');
    const opened = { ...opening, content_block: { ...block, input: {} } };
    const streamed = read(true, events(start, opened, ...rest, ending({ stop_reason: "tool_use" }), stop).join(""));
    expect(streamed).toEqual([
      { type: "text", text: '{"city":' },
      { type: "text", text: '"Bern"}' },
      usage,
      { type: "finish", reason: "stop" },
    ]);
  });

  it("is what the model says in words where it calls nothing", () => {
    const whole = { type: "message", content: [{ type: "text", text: "Bern." }], stop_reason: "end_turn" };
    expect(read(false, JSON.stringify(whole))).toEqual([
      { type: "text", text: "Bern." },
      { type: "finish", reason: "stop" },
    ]);
  });
});
