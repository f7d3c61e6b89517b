import { describe, expect, it } from "vitest";
import { createRuleMatcher, type Rule } from "./rule-matcher.ts";

const APPLE: Rule = {
  name: "apple",
  categories: ["illicit"],
  weight: 0.9,
  anchors: ["apple"],
  pattern: /\bapples?\b/g,
};

describe("createRuleMatcher", () => {
  it("reports the range and weight of a match", () => {
    expect(createRuleMatcher([APPLE]).find("two apples")).toEqual([
      { rule: APPLE, mention: false, weight: 0.9, start: 4, end: 10 },
    ]);
  });

  it("finds all matches, however far apart", () => {
    const text = `apple ${"x ".repeat(2000)}apple`;
    expect(
      createRuleMatcher([APPLE])
        .find(text)
        .map((ruleMatch) => ruleMatch.start),
    ).toEqual([0, 4006]);
  });

  it("finds in a text with capitals what is in its lower case", () => {
    const matcher = createRuleMatcher([APPLE]);
    const text = "Two APPLES, one Apple and a pear";
    expect(matcher.findInAnyCase(text)).toHaveLength(2);
    expect(matcher.findInAnyCase(text)).toEqual(matcher.find(text.toLowerCase()));
    expect(matcher.findInAnyCase("A PEAR")).toEqual([]);
  });

  it("does not run a pattern without its anchors", () => {
    const misanchored: Rule = { ...APPLE, anchors: ["pear"] };
    expect(createRuleMatcher([misanchored]).find("an apple")).toEqual([]);
  });

  it("handles anchors that overlap or begin one another", () => {
    const pie: Rule = { ...APPLE, name: "pie", anchors: ["apple pie"], pattern: /apple pie/g };
    const names = createRuleMatcher([APPLE, pie])
      .find("apple pie")
      .map((ruleMatch) => ruleMatch.rule.name);
    expect(names.sort()).toEqual(["apple", "pie"]);
  });

  it("finds anchors that are not words, inside other characters", () => {
    const tagRule: Rule = { ...APPLE, anchors: ["<|"], pattern: /<\|\w+\|>/g };
    expect(createRuleMatcher([tagRule, APPLE]).find("a<|b|>")).toHaveLength(1);
  });

  it("lowers the weight of a quotation, a mention and a question if the rule is quotable", () => {
    const quotable = createRuleMatcher([{ ...APPLE, quotable: true }]);
    const weightIn = (text: string) => quotable.find(text)[0]?.weight;
    expect(weightIn("apple")).toBe(0.9);
    for (const text of ['"apple"', '("a red apple")', "fruit such as apple", "should i eat the apple"]) {
      expect(weightIn(text)).toBeLessThan(0.8);
    }
    for (const text of ['a "pear" and an apple', '{"fruit": "apple"}']) expect(weightIn(text)).toBe(0.9);
    expect(createRuleMatcher([APPLE]).find('"apple"')[0]?.weight).toBe(0.9);
  });

  it("respects onlyAfter and exceptAfter", () => {
    const matcher = createRuleMatcher([{ ...APPLE, onlyAfter: /\beat\b[^.]{0,20}$/, exceptAfter: /\bno\s$/ }]);
    expect(matcher.find("eat an apple")).toHaveLength(1);
    expect(matcher.find("eat no apple")).toHaveLength(0);
    expect(matcher.find("see an apple")).toHaveLength(0);
  });
});
