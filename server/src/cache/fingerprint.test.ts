import { cosineSimilarity, embedText } from "@trunkline/core/embed-text.ts";
import { LOOK_ALIKES, PARAPHRASES } from "@trunkline/testing/question-pairs.ts";
import { describe, expect, it } from "vitest";
import { significantWords } from "./fingerprint.ts";

/** How many of the pairs count as one question at a threshold. */
function taken(pairs: typeof PARAPHRASES, least: number, isGuarded: boolean): number {
  return pairs.filter(([one, other]) => {
    const likeness = cosineSimilarity(embedText(one, 256), embedText(other, 256));
    const agree = JSON.stringify(significantWords(one)) === JSON.stringify(significantWords(other));
    return likeness >= least && (agree || !isGuarded);
  }).length;
}

describe("significantWords", () => {
  it("takes linear time on a long run of punctuation", () => {
    const punctuation = "!".repeat(200_000);
    expect(significantWords(`Stop${punctuation}go ${punctuation} (50%) +1 "" 𝔘𝔫𝔦!`)).toEqual([
      "+1",
      "50%",
      `stop${punctuation}go`,
      "𝔘𝔫𝔦",
    ]);
  });

  it("returns the words that carry the meaning, by their stems and without order", () => {
    expect(significantWords("Please tell me how the gears work.")).toEqual(significantWords("How does a gear work?"));
    expect(significantWords("Which foods contain gluten?")).toEqual(["contain", "food", "gluten"]);
  });

  it.each([
    ["a number", "Add 2 spoons", "Add 3 spoons"],
    ["a number in words", "Add two spoons", "Add three spoons"],
    ["a negation", "Is it safe?", "Is it not safe?"],
    ["a short negation", "Does it work?", "Doesn't it work?"],
    ["a name", "Where is Paris?", "Where is Perth?"],
    ["a piece of code", "What does a.map(f) do?", "What does a.filter(f) do?"],
    ["a quotation", 'Translate "dog"', 'Translate "cat"'],
    ["the direction", "Is a mouse bigger than a cat?", "Is a cat bigger than a mouse?"],
  ])("differ when %s differs", (_what, one, other) => {
    expect(significantWords(one)).not.toEqual(significantWords(other));
  });

  it("reads a number as a word or with a comma", () => {
    expect(significantWords("Name 3 of 1,000")).toEqual(significantWords("Name three of 1000"));
  });

  // The same figures are in docs/caching.md.
  it.each([
    [0.8, 17, 15, 1],
    [0.85, 16, 13, 1],
    [0.9, 11, 10, 1],
    [0.95, 8, 5, 0],
    [0.98, 3, 2, 0],
  ])("distinguish similar questions at a similarity of %d", (least, paraphrases, unguarded, guarded) => {
    expect(PARAPHRASES).toHaveLength(24);
    expect(LOOK_ALIKES).toHaveLength(30);
    expect(taken(PARAPHRASES, least, true)).toBe(paraphrases);
    expect(taken(LOOK_ALIKES, least, false)).toBe(unguarded);
    expect(taken(LOOK_ALIKES, least, true)).toBe(guarded);
  });
});
