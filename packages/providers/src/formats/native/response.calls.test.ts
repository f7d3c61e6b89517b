import type { Part } from "@trunkline/core/answer.ts";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../http/json-frames.ts";
import { NativeResponseReader } from "./response.ts";

const text = (words: string): Part => ({ type: "text", text: words });
const stop: Part = { type: "finish", reason: "stop" };

describe("an answer with tool calls of its own", () => {
  const tools = [{ name: "look", description: "", inputSchema: {} }];
  const readCalls = (frames: readonly JsonObject[]) => {
    const answer = new NativeResponseReader({ type: "text", credential: undefined }, { tools });
    return [...frames.flatMap((frame) => answer.take(frame)), ...answer.end()];
  };
  const call = { id: "c1", name: "look", arguments: { at: 1 } };
  const called: Part = { type: "tool-call", id: "c1", name: "look", arguments: '{"at":1}' };
  const toolCalls: Part = { type: "finish", reason: "tool-calls" };

  it.each([
    [[{ output: { tool_calls: [call] } }], [called, toolCalls]],
    [[{ output: { text: "hm", tool_calls: [call] } }], [text("hm"), called, toolCalls]],
    [[{ output: null, tool_calls: [call] }], [called, toolCalls]],
    [[{ output: "hm", tool_calls: [call] }], [text("hm"), called, toolCalls]],
    [[{ output: "hm", tool_calls: [] }], [text("hm"), stop]],
    [[{ output: "hm", tool_calls: null }], [text("hm"), stop]],
    [
      [{ delta: "h" }, { tool_calls: [call] }, { done: true }],
      [text("h"), called, toolCalls],
    ],
    [
      [{ delta: "{" }, { tool_calls: [call], done: true }],
      [text("{"), called, toolCalls],
    ],
    [
      [{ tool_calls: [call] }, { output: null, tool_calls: [call], done: true }],
      [called, toolCalls],
    ],
  ])("has them as parts: %j", (frames, parts) => {
    expect(readCalls(frames)).toEqual(parts);
  });

  it("is not over before it says so", () => {
    expect(() => readCalls([{ tool_calls: [call] }])).toThrow("ended its stream before it was done");
    expect(() => readCalls([{ output: "hi" }, { tool_calls: [call] }])).toThrow("sent more");
  });

  it.each([[{}], ["look"], [[{ ...call, name: "fly" }]], [[{ ...call, arguments: 1 }]]])(
    "is broken where they can't be read: %j",
    (list) => {
      expect(() => readCalls([{ output: null, tool_calls: list }])).toThrow("tool calls that can't be read");
      expect(() => readCalls([{ tool_calls: list }])).toThrow("tool calls that can't be read");
    },
  );

  it("is broken where no tools were given", () => {
    const answer = new NativeResponseReader({ type: "text", credential: undefined });
    expect(() => answer.take({ output: { tool_calls: [call] } })).toThrow("of tools that it was not given");
  });
});

describe("an answer with embeddings", () => {
  const embed = (output: unknown, inputs = 1) => {
    const answer = new NativeResponseReader(
      { type: "embedding", credential: undefined },
      { tools: [] },
      inputs,
    );
    return [...answer.take({ output }), ...answer.end()];
  };
  const vector = (index: number, ...numbers: number[]): Part => ({
    type: "embedding",
    index,
    vector: numbers,
  });

  it("is one vector for each input", () => {
    expect(embed({ embedding: [0.5, 1] })).toEqual([vector(0, 0.5, 1), stop]);
    expect(embed({ embeddings: [[1], [2]] }, 2)).toEqual([vector(0, 1), vector(1, 2), stop]);
    expect(embed([1, 2])).toEqual([vector(0, 1, 2), stop]);
    expect(embed([[1], [2]], 2)).toEqual([vector(0, 1), vector(1, 2), stop]);
  });

  it.each([
    [{ embedding: [1] }, 2, "answered with 1 vector to 2 inputs"],
    [{ embeddings: [[1], [2]] }, 1, "answered with 2 vectors to 1 input"],
    [{ embedding: [] }, 1, "a vector that is not made of numbers"],
    [{ embedding: ["1"] }, 1, "a vector that is not made of numbers"],
    [{ embeddings: "1" }, 1, "answered with 0 vectors to 1 input"],
    ["hi", 1, "the answer has no output"],
  ])("is broken with %j for %d inputs", (output, inputs, reason) => {
    expect(() => embed(output, inputs)).toThrow(reason);
  });
});
