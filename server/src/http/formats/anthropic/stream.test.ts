import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import { streamMessage } from "./stream.ts";

const SIGNATURE: Part = { type: "thinking", text: "", signature: "c2ln" };
const TEXT: Part = { type: "text", text: "Done." };
const CALL: Part = { type: "tool-call", id: "call_1", name: "look", arguments: "{}" };

/** The types of the blocks that a client sees begin, in order. */
function blocksOf(...parts: Part[]): string[] {
  const writer = streamMessage(new RequestTrace("01a1e981-26d4-7454-9762-204e2b52225f", "/", new ManualClock()));
  const events = parts.map((part: Part | Receipt) => writer.write(part)).join("");
  return [...events.matchAll(/"content_block":\{"type":"(\w+)"/g)].map(([, type = ""]) => type);
}

describe("a signature without a thought", () => {
  it("is no block at the end of an answer, where clients look for its text", () => {
    expect(blocksOf(TEXT, SIGNATURE)).toEqual(["text"]);
    expect(blocksOf(TEXT, SIGNATURE, TEXT)).toEqual(["text"]);
  });

  it("is one at the beginning, and before a call", () => {
    expect(blocksOf(SIGNATURE, TEXT)).toEqual(["thinking", "text"]);
    expect(blocksOf(TEXT, SIGNATURE, CALL)).toEqual(["text", "thinking", "tool_use"]);
  });
});
