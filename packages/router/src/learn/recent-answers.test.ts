import { describe, expect, it } from "vitest";
import type { AnswerSample } from "./outcomes.ts";
import { RecentAnswers } from "./recent-answers.ts";

const SAMPLE: AnswerSample = {
  accountId: "an account",
  requestId: "a request",
  model: "provider/model",
  domain: "code",
  counted: [
    { domain: "code", share: 0.5 },
    { domain: "maths", share: 0.2 },
    { domain: "law", share: 0.1 },
    { domain: "chat", share: 0.06 },
    { domain: "history", share: 0.05 },
  ],
  prior: 0.71,
  predictedQuality: 0.73,
  propensity: 0.9,
  lends: true,
};
const OTHER: AnswerSample = { ...SAMPLE, requestId: "another", domain: "law", counted: [], lends: false };

describe("recent answers", () => {
  it("gives back an answer as it was added, once", () => {
    const recent = new RecentAnswers();
    recent.add(7, SAMPLE, 0.4, 2, 1_000);
    recent.add(8, OTHER, 0, 0, 1_000);
    expect(recent.takeAnsweredBefore(9, 2_000)).toBeUndefined();
    expect([7, 8, 9].map((print) => recent.repeatsOf(print, 2_000))).toEqual([3, 1, 0]);
    expect(recent.takeAnsweredBefore(7, 2_000)).toEqual({ answerSample: SAMPLE, weight: 0.4 });
    expect(recent.takeAnsweredBefore(7, 2_000)).toBeUndefined();
    expect(recent.takeAnsweredBefore(8, 2_000)).toEqual({ answerSample: OTHER, weight: 0 });
  });

  it("holds one answer for a question: the last one", () => {
    const recent = new RecentAnswers();
    recent.add(7, SAMPLE, 0.4, 0, 1_000);
    recent.add(7, OTHER, 0.3, 1, 2_000);
    expect(recent.takeAnsweredBefore(7, 3_000)).toEqual({ answerSample: OTHER, weight: 0.3 });
    expect(recent.takeAnsweredBefore(7, 3_000)).toBeUndefined();
  });

  it("gives no answer that came after the question, or more than ten minutes before it", () => {
    const recent = new RecentAnswers();
    recent.add(7, SAMPLE, 0.4, 0, 1_000);
    expect(recent.repeatsOf(7, 999)).toBe(0);
    expect(recent.takeAnsweredBefore(7, 999)).toBeUndefined();
    expect(recent.takeAnsweredBefore(7, 601_000)).toBeDefined();
    recent.add(7, SAMPLE, 0.4, 0, 1_000);
    expect(recent.repeatsOf(7, 601_001)).toBe(0);
    expect(recent.takeAnsweredBefore(7, 601_001)).toBeUndefined();
  });

  it("forgets the oldest answers where there are too many", () => {
    const recent = new RecentAnswers();
    for (let print = 0; print < 100_000; print++) recent.add(print, SAMPLE, 0, 0, 1_000 + print);
    let found = 0;
    for (let print = 0; print < 100_000; print++) {
      const taken = recent.takeAnsweredBefore(print, 200_000);
      if (taken === undefined) continue;
      found++;
      expect(print).toBeGreaterThan(100_000 / 2);
    }
    expect(found).toBe(32_768);
  });
});
