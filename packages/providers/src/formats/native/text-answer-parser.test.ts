import { isDeepStrictEqual } from "node:util";
import type { Part } from "@trunkline/core/parts.ts";
import {
  expectNeverShort,
  expectSameForEveryCut,
  readPieces,
  type WireAnswer,
} from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nativeFormat } from "./format.ts";
import { type ExpectedAnswer, TextAnswerParser } from "./text-answer-parser.ts";

const tool = (name: string) => ({ name, description: "", inputSchema: { type: "object" } });
const WITH_TOOLS: ExpectedAnswer = { tools: [tool("look"), tool("count")] };
const WITH_FORM: ExpectedAnswer = { tools: [], answerForm: { type: "json" } };
const WITH_BOTH: ExpectedAnswer = { ...WITH_TOOLS, ...WITH_FORM, tools: WITH_TOOLS.tools };
const CALL = '{"tool_calls":[{"name":"look","arguments":{"at":[1,"}"]}}]}';
const text = (words: string): Part => ({ type: "text", text: words });
const look = (input = '{"at":[1,"}"]}'): Part => ({
  type: "tool-call",
  id: "made-up",
  name: "look",
  arguments: input,
});

const wireAnswer = (expectedAnswer: ExpectedAnswer, objects: readonly object[], streaming = true): WireAnswer => ({
  format: nativeFormat,
  call: {
    model: makeModel(),
    inference: makeInference({ conversation: { messages: [], ...expectedAnswer } }),
    requestId: "r1",
    signal: new AbortController().signal,
  },
  bytes: Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join("")),
  streaming,
});

/**
 * The parts of an answer with this text: whole, in two deltas cut anywhere, and character by character, all the same.
 */
function hear(expectedAnswer: ExpectedAnswer, words: string): { parts: Part[]; finish: Part | undefined } {
  const read = (objects: readonly object[]) => {
    const answer = wireAnswer(expectedAnswer, objects);
    return readPieces(answer, [answer.bytes]);
  };
  const parts = read([{ output: words }]);
  const deltas = (pieces: readonly string[]) => [...pieces.map((delta) => ({ delta })), { done: true }];
  for (let at = 0; at <= words.length; at += 1) {
    const cut = read(deltas([words.slice(0, at), words.slice(at)]));
    // Thousands of times: the assertion, which is slow, is for those that differ.
    if (!isDeepStrictEqual(cut, parts)) expect(cut, `cut at ${at}`).toEqual(parts);
  }
  expect(read(deltas([...words]))).toEqual(parts);
  return { parts: parts.slice(0, -1), finish: parts.at(-1) };
}

describe("an answer of a model that was given tools", () => {
  it.each([
    CALL,
    ` \n${CALL}\n\n`,
    `\`\`\`json\n${CALL}\n\`\`\``,
    `\n\`\`\`\r\n${CALL}\`\`\`\n`,
    '{ "tool_calls" :\n [ {"arguments": {"at": [1, "}"]}, "name": "look"} ] }',
    '{"tool_calls":[{"name":"look","arguments":"{\\"at\\":[1,\\"}\\"]}"}]}',
  ])("is a call where it is nothing else: %j", (words) => {
    const { parts, finish } = hear(WITH_TOOLS, words);
    expect(parts).toEqual([look()]);
    expect(finish).toEqual({ type: "finish", reason: "tool-calls" });
  });

  it("is the same call wherever its bytes are cut, and none where they are truncated", () => {
    const deltas = ["```json", "\n{", '"tool_', CALL.slice(7), "\n``", "`"].map((delta) => ({ delta }));
    const answer = wireAnswer(WITH_TOOLS, [...deltas, { done: true }]);
    expect(expectSameForEveryCut(answer)[0]).toEqual(look());
    expectNeverShort(answer);
  });

  it("is several calls, each with its own id, where it lists several", () => {
    const words = '{"tool_calls":[{"name":"look","arguments":{}},{"name":"count"}]}';
    const { parts } = hear(WITH_TOOLS, words);
    expect(parts).toEqual([look("{}"), { ...look("{}"), name: "count" }]);
    const spoken = new TextAnswerParser(WITH_TOOLS);
    spoken.push(words);
    const ids = spoken.end().map((part) => (part.type === "tool-call" ? part.id : ""));
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    "",
    "Hello!",
    "  Hello!",
    "{",
    "`",
    "```",
    "```json",
    "{}",
    '{"tool_calls":[]}',
    '{"tool_calls":{}}',
    '{"tool_calls":[1]}',
    '{"tool_calls":[{"name":"fly","arguments":{}}]}',
    '{"tool_calls":[{"name":"look","arguments":{}},{"name":"fly"}]}',
    '{"tool_calls":[{"name":"look","arguments":[1]}]}',
    '{"tool_calls":[{"name":"look","arguments":"at"}]}',
    '{"tool_calls":[{"arguments":{}}]}',
    '{"tool_calls":[{"name":"look","arguments":{}}],"why":"so"}',
    '{"why":"so","tool_calls":[{"name":"look","arguments":{}}]}',
    '{"tool_calls":[{"name":"look",',
    `${CALL} So be it.`,
    `Sure: ${CALL}`,
    `${CALL}${CALL}`,
    `${CALL}\n\`\`\``,
    `\`\`\`json\n${CALL}`,
    `\`\`\`python\n${CALL}\n\`\`\``,
    `\`\`\`json\n${CALL}\n\`\`\`\nThere.`,
    "```json\n[1]\n```",
  ])("stays text where it is anything else: %j", (words) => {
    const { parts, finish } = hear(WITH_TOOLS, words);
    expect(parts).toEqual(words === "" ? [] : [text(words)]);
    expect(finish).toEqual({ type: "finish", reason: "stop" });
  });

  it("stays text where no tools were given, or none may be called", () => {
    expect(hear({ tools: [] }, CALL).parts).toEqual([text(CALL)]);
    expect(hear({ ...WITH_TOOLS, toolChoice: "none" }, CALL).parts).toEqual([text(CALL)]);
  });

  it.each([
    ["Hello", ["Hello"]],
    ["{", []],
    ['{"tool', []],
    ['{"tools', ['{"tools']],
    ['{"x', ['{"x']],
    ["{ }", ["{ }"]],
    ["``", []],
    ["```js", []],
    ["```js\n", ["```js\n"]],
    ["```json\n{", []],
    ["```json\n[", ["```json\n["]],
    [`${CALL} `, []],
    [`${CALL} x`, [`${CALL} x`]],
    [" ".repeat(65), [" ".repeat(65)]],
  ])("is passed on as soon as it can't be a call: %j", (words, given) => {
    expect(new TextAnswerParser(WITH_TOOLS).push(words)).toEqual(given.map(text));
  });

  it("is passed on when it is too long to be a call", () => {
    const spoken = new TextAnswerParser(WITH_TOOLS);
    expect(spoken.push('{"tool_calls":[{"name":"look","arguments":{"at":"')).toEqual([]);
    const long = "x".repeat(300_000);
    expect(spoken.push(long)).toEqual([text(`{"tool_calls":[{"name":"look","arguments":{"at":"${long}`)]);
    expect(spoken.push('"}}]}')).toEqual([text('"}}]}')]);
    expect(spoken.end()).toEqual([]);
  });

  it("loses no text, whatever it is and wherever it is cut", () => {
    const piece = fc.constantFrom("```", "json", "\n", " ", "{", '"tool_calls"', ":", "[", "]", "}", "a", '"');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const spoken = new TextAnswerParser(WITH_TOOLS);
        const parts = [...pieces.flatMap((one) => spoken.push(one)), ...spoken.end()];
        const said = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
        expect(said).toBe(pieces.join(""));
      }),
    );
  });
});

describe("an answer of a model that was asked for JSON", () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['\n```JSON\n\n{"a":"```"}\n\n```\n\n', '{"a":"```"}'],
    ["```\n[1,\n2]```", "[1,\n2]"],
    ['```json\n"x"\n```', '"x"'],
    ["```python\n1\n```", "```python\n1\n```"],
    ["```json\nHello\n```", "```json\nHello\n```"],
    ["Here:\n```json\n{}\n```", "Here:\n```json\n{}\n```"],
    [CALL, CALL],
  ])("has no code fence around it: %j", (words, given) => {
    expect(hear(WITH_FORM, words).parts).toEqual([text(given)]);
  });

  it("is passed on except for a possible end of its fence", () => {
    const spoken = new TextAnswerParser(WITH_FORM);
    expect(spoken.push('```json\n{"a":')).toEqual([text('{"a":')]);
    expect(spoken.push("1}\n``")).toEqual([text("1}")]);
    expect(spoken.push("` more")).toEqual([text("\n``` more")]);
    expect(spoken.end()).toEqual([]);
  });

  it("may be a call as well, where there are tools", () => {
    expect(hear(WITH_BOTH, `\`\`\`json\n${CALL}\n\`\`\``).parts).toEqual([look()]);
    expect(hear(WITH_BOTH, '```json\n{"a":1}\n```').parts).toEqual([text('{"a":1}')]);
    const unknown = '{"tool_calls":[{"name":"fly"}]}';
    expect(hear(WITH_BOTH, `\`\`\`json\n${unknown}\n\`\`\``).parts).toEqual([text(unknown)]);
  });
});
