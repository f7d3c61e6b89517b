import { SAFETY_CATEGORIES } from "@trunkline/core/safety-category.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { asked } from "@trunkline/testing/asked.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { PAIRS } from "../../training/evasion/attacks.ts";
import { houseDetector } from "../../training/evasion/house-detector.ts";
import { atOnce } from "../resumable.ts";
import { AnswerWatch } from "../screen/answer-watch.ts";
import { guardOf } from "./guard.ts";
import { policyOf } from "./policy.ts";

const reported = { reportAt: 0.01, refuseAt: undefined };
const everything = Object.fromEntries(SAFETY_CATEGORIES.map((category) => [category, reported]));
const guard = guardOf(houseDetector, policyOf("off", everything));

const word = fc.constantFrom(...PAIRS.flatMap(({ attack }) => attack.split(" ")), "jo@firma.de", "password:");
const pair = fc.constantFrom("😀", "𝐀", "🇩🇪", "\u{e0041}", "👩‍🚀", "𝗶𝗶𝗶");
const text = fc
  .array(fc.tuple(word, fc.oneof(fc.constant(" "), pair)), { minLength: 4, maxLength: 60 })
  .map((words) => words.flat().join(""));

function expectWhole(words: string, { spans }: Verdict): void {
  for (const { start, end } of spans)
    expect(words.slice(start, end)).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
}

it("no place that is told begins or ends within a character", () => {
  let told = 0;
  fc.assert(
    fc.property(text, (words) => {
      for (const channel of ["user", "document", "output"] as const) {
        const verdict = guard.judge(words, channel);
        told += verdict.spans.length;
        expectWhole(words, verdict);
        expect(atOnce(guard.judging(words, channel))).toEqual(verdict);
      }
      const watch = new AnswerWatch(guard, asked());
      for (const piece of words.match(/.{1,7}/gsu) ?? []) atOnce(watch.read({ type: "text", text: piece }));
      atOnce(watch.read(undefined));
      expectWhole(words, watch.verdict);
    }),
    { seed: 7, numRuns: 150 },
  );
  expect(told).toBeGreaterThan(1000);
});
