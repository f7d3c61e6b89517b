import type { JsonObject } from "@trunkline/core/json-object.ts";
import { DEFAULT_CALL_LIMITS } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ChatCompletionReader } from "../formats/openai/response.ts";
import { jsonAnswerReader } from "./json-answer-reader.ts";

const newReader = () =>
  new ChatCompletionReader({ model: makeModel({}), inference: makeInference({}), requestId: "request" });

/** What the reader gives where each object is taken by itself. */
function partsOneByOne(objects: readonly JsonObject[]): readonly Part[] {
  const reader = newReader();
  const parts: Part[] = [];
  for (const object of objects) reader.take(object, parts);
  return parts;
}

/** The same of events that arrive in pieces, each of which is overwritten once it was read. */
function partsOfEvents(objects: readonly JsonObject[], places: readonly number[], between = ""): readonly Part[] {
  const reader = jsonAnswerReader(newReader(), DEFAULT_CALL_LIMITS, true);
  const bytes = Buffer.from(objects.map((object) => `${between}data: ${JSON.stringify(object)}\n\n`).join(""));
  const parts: Part[] = [];
  const ends = [...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
  let from = 0;
  for (const end of ends) {
    const piece = Buffer.from(bytes.subarray(from, end));
    reader.push(piece, parts);
    piece.fill("x");
    from = end;
    if (reader.done) break;
  }
  return parts;
}

const chunkOf = (delta: object, more: object = {}, id = "chat") => ({
  id,
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const textChunk = fc
  .constantFrom("", "a", "b", "é€😀", '"quoted"', "\\", "\n\n", "data: {", "\u2028")
  .map((content) => chunkOf({ content }));
/** Chunks that differ from one with text in something else, or have more than text. */
const otherChunk = fc.constantFrom(
  chunkOf({ content: "a" }, {}, "b"),
  chunkOf({ content: "b" }, {}, "a"),
  chunkOf({ role: "assistant", content: "a" }),
  chunkOf({ role: "assistant", content: "b" }),
  chunkOf({ content: "a", reasoning: "b" }),
  chunkOf({ content: "a", reasoning: "c" }),
  chunkOf({ content: "a", refusal: "b" }),
  chunkOf({ content: "a" }, { logprobs: { content: ["t"] } }),
  chunkOf({ content: "b" }, { logprobs: { content: ["t"] } }),
  chunkOf({ content: [{ type: "text", text: "a" }] }),
  chunkOf({ content: [{ type: "text", text: "b" }] }),
  { ...chunkOf({ content: "a" }), usage: { prompt_tokens: 1, completion_tokens: 2 } },
  { ...chunkOf({ content: "b" }), usage: { prompt_tokens: 1, completion_tokens: 2 } },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  chunkOf({ tool_calls: [{ index: 0, id: "one", function: { name: "find", arguments: "a" } }] }),
);
const end: readonly JsonObject[] = [chunkOf({}, { finish_reason: "stop" }), { done: true }];

it("gives the same parts for objects that differ in a text alone as for each by itself, in whatever pieces they come", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 4, arbitrary: textChunk }, otherChunk), { maxLength: 24 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.constantFrom("", ": still there\n\n", "event: x\n"),
      (chunks, places, between) => {
        const objects = [...chunks, ...end];
        expect(partsOfEvents(objects, places, between)).toEqual(partsOneByOne(objects));
      },
    ),
    { numRuns: 300 },
  );
});

it("does not take the text of another field for that of the answer, also where both were the same", () => {
  const objects = [chunkOf({ content: "a" }, {}, "x"), chunkOf({ content: "a" }, {}, "y")];
  const more = ["a", "b", "c", "a"].map((id) => chunkOf({ content: "a" }, {}, id));
  expect(partsOfEvents([...objects, ...more, ...end], [])).toEqual(partsOneByOne([...objects, ...more, ...end]));
});
