import type { Part } from "@trunkline/core/answer.ts";
import { asked } from "@trunkline/testing/asked.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { RedactionRestorer } from "../private-data/redaction-restorer.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { AnswerScreen } from "./answer-watch.ts";

const guard = createGuard(ruleDetector, policyFromPreset("off", {}));
const values = new Map([["[EMAIL_1]", "jo@firma.de"]]);

/** All that a client is given of an answer, and what of it came before the end was known. */
function screen(source: readonly Part[]) {
  const watch = new AnswerScreen(guard, asked({ tools: ["find"] }));
  const redactionRestorer = new RedactionRestorer(values, false);
  const pass = (safe: readonly Part[]) => safe.flatMap((part) => [...redactionRestorer.read(part)]);
  const before = source.flatMap((part) => pass(runToEnd(watch.read(part)).safe));
  return {
    before,
    all: [...before, ...pass(runToEnd(watch.read(undefined)).safe), ...redactionRestorer.flush()],
  };
}

/** Neighbouring pieces of one text or one thought as one, however they were cut. */
function merged(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.type === "text" && last?.type === "text")
      result[result.length - 1] = { ...last, text: last.text + part.text };
    else if (part.type === "thinking" && last?.type === "thinking" && isOpen(last))
      result[result.length - 1] = { ...last, ...part, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}

function isOpen(part: Part): boolean {
  return part.type === "thinking" && part.signature === undefined && part.sealed === undefined;
}

describe("thoughts between words", () => {
  it("stay behind those that came before them", () => {
    const source: Part[] = [
      { type: "text", text: "I look it up, as [EMA" },
      { type: "thinking", text: "Where?" },
      { type: "thinking", text: "", signature: "abc" },
      { type: "text", text: "It rains." },
      { type: "thinking", text: "Done. [EMA" },
      { type: "finish", reason: "stop" },
    ];
    expect(merged(screen(source).all)).toEqual(merged(source));
  });

  it("do not wait for long behind words that are held back", () => {
    const long = "Let me see where this may be written down, and whether anybody has said it before. ".repeat(
      2,
    );
    const { before } = screen([
      { type: "text", text: "I look it up. " },
      { type: "thinking", text: long },
    ]);
    const [words, thought] = merged(before);
    expect(words).toEqual({ type: "text", text: "I look it up. " });
    expect(thought?.type === "thinking" && thought.text.length).toBeGreaterThan(long.length - 65);
  });

  it("keep their order whatever comes, in each choice", () => {
    const words = fc.string({
      unit: fc.constantFrom("a", " ", "[", "EMAIL_", "1]", "."),
      minLength: 1,
      maxLength: 40,
    });
    const piece = fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: words }),
      fc.record({ type: fc.constant("thinking" as const), text: words }),
      fc.constant({ type: "thinking" as const, text: "", signature: "abc" }),
      fc.constant({ type: "thinking" as const, text: "", sealed: "xyz" }),
      fc.constant({ type: "tool-call" as const, id: "1", name: "find", arguments: "{}" }),
    );
    const ofChoice = fc
      .tuple(piece, fc.boolean())
      .map(([part, isOther]): Part => (isOther ? { ...part, choice: 1 } : part));
    fc.assert(
      fc.property(fc.array(ofChoice, { maxLength: 16 }), (source) => {
        const { all } = screen(source);
        for (const isOther of [false, true]) {
          const mine = (parts: readonly Part[]) =>
            merged(parts.filter((part) => "choice" in part === isOther));
          const told = mine(source).map((part) =>
            "text" in part ? { ...part, text: part.text.replaceAll("[EMAIL_1]", "jo@firma.de") } : part,
          );
          expect(mine(all)).toEqual(told);
        }
      }),
      { seed: 20, numRuns: 1000 },
    );
  });
});
