import { SAFETY_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ATTACK_PAIRS, shippedDetector } from "../../training/evasion/battery.ts";
import { AnswerScreen } from "../screen/screen-output.ts";
import { createGuard } from "./guard.ts";
import { policyFromPreset } from "./policy.ts";

const reported = { reportAt: 0.01, refuseAt: undefined };
const everything = Object.fromEntries(SAFETY_CATEGORIES.map((category) => [category, reported]));
const guard = createGuard(shippedDetector, policyFromPreset("off", everything));

const word = fc.constantFrom(...ATTACK_PAIRS.flatMap(({ attack }) => attack.split(" ")), "jo@firma.de", "password:");
const pair = fc.constantFrom("😀", "𝐀", "🇩🇪", "\u{e0041}", "👩‍🚀", "𝗶𝗶𝗶");
const text = fc
  .array(fc.tuple(word, fc.oneof(fc.constant(" "), pair)), { minLength: 4, maxLength: 60 })
  .map((words) => words.flat().join(""));

function expectWhole(words: string, { spans }: Verdict): void {
  for (const { start, end } of spans) expect(words.slice(start, end)).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
}

it("no reported span begins or ends within a surrogate pair", () => {
  let spanCount = 0;
  fc.assert(
    fc.property(text, (words) => {
      for (const channel of ["user", "document", "output"] as const) {
        const verdict = guard.evaluate(words, channel);
        spanCount += verdict.spans.length;
        expectWhole(words, verdict);
      }
      const screen = new AnswerScreen(guard, sampleAnswerContext());
      for (const piece of words.match(/.{1,7}/gsu) ?? []) screen.read({ type: "text", text: piece });
      screen.end();
      expectWhole(words, screen.verdict);
    }),
    { seed: 7, numRuns: 150 },
  );
  expect(spanCount).toBeGreaterThan(1000);
});
