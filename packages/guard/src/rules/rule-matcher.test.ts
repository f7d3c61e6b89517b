import { describe, expect, it } from "vitest";
import { createRuleMatcher, type Rule } from "./rule-matcher.ts";

const APPLE: Rule = {
  name: "apple",
  categories: ["illicit"],
  weight: 0.9,
  anchors: ["apple"],
  pattern: /\bapples?\b/g,
};

describe("ruleBook", () => {
  it("says where a rule applies and how much it weighs", () => {
    expect(createRuleMatcher([APPLE]).find("two apples")).toEqual([
      { rule: APPLE, mention: false, weight: 0.9, start: 4, end: 10 },
    ]);
  });

  it("finds every place, however far apart", () => {
    const text = `apple ${"x ".repeat(2000)}apple`;
    expect(
      createRuleMatcher([APPLE])
        .find(text)
        .map((ruleMatch) => ruleMatch.start),
    ).toEqual([0, 4006]);
  });

  it("does not try a pattern on a text without its anchors", () => {
    const misanchored: Rule = { ...APPLE, anchors: ["pear"] };
    expect(createRuleMatcher([misanchored]).find("an apple")).toEqual([]);
  });

  it("lets anchors overlap and begin one another", () => {
    const pie: Rule = { ...APPLE, name: "pie", anchors: ["apple pie"], pattern: /apple pie/g };
    const names = createRuleMatcher([APPLE, pie])
      .find("apple pie")
      .map((ruleMatch) => ruleMatch.rule.name);
    expect(names.sort()).toEqual(["apple", "pie"]);
  });

  it("finds anchors that are no words, in the middle of other characters", () => {
    const mark: Rule = { ...APPLE, anchors: ["<|"], pattern: /<\|\w+\|>/g };
    expect(createRuleMatcher([mark, APPLE]).find("a<|b|>")).toHaveLength(1);
  });

  it("counts a quotation, a mention and a question about it for less, where the rule says so", () => {
    const quotable = createRuleMatcher([{ ...APPLE, quotable: true }]);
    const weightIn = (text: string) => quotable.find(text)[0]?.weight;
    expect(weightIn("apple")).toBe(0.9);
    for (const text of ['"apple"', '("a red apple")', "fruit such as apple", "should i eat the apple"]) {
      expect(weightIn(text)).toBeLessThan(0.8);
    }
    for (const text of ['a "pear" and an apple', '{"fruit": "apple"}']) expect(weightIn(text)).toBe(0.9);
    expect(createRuleMatcher([APPLE]).find('"apple"')[0]?.weight).toBe(0.9);
  });

  it("heeds what must and what must not stand before", () => {
    const book = createRuleMatcher([{ ...APPLE, onlyAfter: /\beat\b[^.]{0,20}$/, exceptAfter: /\bno\s$/ }]);
    expect(book.find("eat an apple")).toHaveLength(1);
    expect(book.find("eat no apple")).toHaveLength(0);
    expect(book.find("see an apple")).toHaveLength(0);
  });
});
