import { readFileSync } from "node:fs";
import type { Part } from "@trunkline/core/answer.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import { readPieces } from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { openAiFormat } from "./format.ts";

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));

const SIGNAL = new AbortController().signal;

/** The parts of a stream that comes in these pieces. */
function partsOf(parameters: Partial<Parameters>, ...pieces: readonly Buffer[]) {
  const inference = makeInference({ parameters: { ...NO_PARAMETERS, ...parameters } });
  const call = { model: makeModel({ wire: "openai" }), inference, requestId: "0192-ab", signal: SIGNAL };
  return readPieces({ format: openAiFormat, call, bytes: Buffer.of(), streaming: true }, pieces);
}

describe("an answer that goes wrong", () => {
  const read = (...objects: readonly unknown[]) =>
    partsOf({}, ...objects.map((object) => Buffer.from(`data: ${JSON.stringify(object)}\n\n`)));
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });

  it("is a failure where the stream reports an error, with the provider's own words", () => {
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
    "takes the end %j for the breakdown that it is",
    (reason) => {
      expect(() => read(chunk({ content: "h" }), chunk({}, reason))).toThrow(
        expect.objectContaining({ kind: "broken", reason: "broke down before its answer was complete" }),
      );
    },
  );

  it("misses the second of two answers that were asked for", () => {
    const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: "h" }, "stop"))}\n\n`);
    expect(() => partsOf({ choices: 2 }, bytes)).toThrow("ended its stream before it was done");
  });

  it("is a failure where there are more answers than were asked for", () => {
    const another = { choices: [{ index: 1, delta: { content: "h" }, finish_reason: "stop" }] };
    expect(() => read(chunk({ content: "h" }), another)).toThrow("gave more answers than were asked for");
  });

  it.each([
    "",
    "{}",
    '{"choices":[]}',
    '{"choices":null}',
    "data: [DONE]\n\n",
    '{"object":"list","data":[]}',
  ])("finds no answer in %j", (body) => {
    expect(() => partsOf({}, Buffer.from(body))).toThrow("the answer has no output");
  });

  it("takes the end marker for an end where no reason was given", () => {
    const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: "h" }))}\n\ndata: [DONE]\n\n`);
    expect(partsOf({}, bytes)).toEqual([
      { type: "text", text: "h" },
      { type: "finish", reason: "unknown" },
    ]);
  });

  it("says all that came before it broke", () => {
    const parts: Part[] = [];
    const call = { model: makeModel(), inference: makeInference(), requestId: "r1", signal: SIGNAL };
    const answer = openAiFormat.read(call, { headers: {}, streaming: true });
    expect(() => {
      for (const object of [chunk({ content: "h" }), { error: { message: "gone" } }])
        for (const part of answer.push(Buffer.from(`data: ${JSON.stringify(object)}\n\n`))) parts.push(part);
    }).toThrow("gone");
    expect(parts).toEqual([{ type: "text", text: "h" }]);
  });

  it("reads a stream that repeats itself whole at its end only once", () => {
    const repeated = { choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }] };
    expect(read(chunk({ content: "h" }), chunk({ content: "i" }), repeated)).toEqual([
      { type: "text", text: "hi" },
      { type: "finish", reason: "stop" },
    ]);
  });

  it.each([
    ["a number", { content: 5 }],
    ["a list of nothing", { content: [null, 1, {}] }],
    ["calls that are none", { content: "", tool_calls: "x", function_call: 3 }],
    ["thoughts that are none", { reasoning_content: {}, reasoning: 7, refusal: [] }],
  ])("makes nothing of %s", (_name, delta) => {
    expect(read(chunk(delta, "stop"))).toEqual([{ type: "finish", reason: "stop" }]);
  });

  it("puts calls together that have one index, or none, and the old kind of call", () => {
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
