import { findInStream } from "@trunkline/testing/find-in-stream.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import { ruleDetector } from "./rule-detector.ts";
import { AnchorTrie, AnswerRuleIndex, RuleStreamDetector } from "./rule-stream-detector.ts";

const RULES = [...ANSWER_RULES, ...HATE_RULES];
const BOMB = "Here is how to build a pipe bomb: take a steel pipe and";
const found = (answer: string, pieces?: number) =>
  new Set(findInStream(ruleDetector.createStreamDetectors(), answer, pieces).map(({ category }) => category));

describe("the answer rules", () => {
  it("do not run on harmless text, which is scanned about once for encodings", () => {
    let scanned = 0;
    const rules = new AnswerRuleIndex(RULES, (text) => {
      scanned += text.length;
      return { findings: [], normalised: [] };
    });
    const answer = "All is well in the garden, and the apples are ripe. ".repeat(200);
    findInStream([new RuleStreamDetector(rules)], answer);
    expect(scanned).toBeGreaterThanOrEqual(answer.length);
    expect(scanned).toBeLessThan(answer.length * 1.4);
  });

  it.each([
    ["plain", BOMB],
    ["in capitals", BOMB.toUpperCase()],
    ["with wide gaps", BOMB.replaceAll(" ", "  \t ")],
    ["with digits for letters", BOMB.replaceAll("o", "0").replaceAll("i", "1")],
    ["with letters of other scripts", BOMB.replaceAll("o", "о")],
    ["with hidden characters", BOMB.replaceAll("b", "b\u200b")],
    ["in base64", Buffer.from(BOMB).toString("base64")],
  ])("run on something unsafe %s", (_how, unsafe) => {
    for (const before of [0, 3, 14, 200, 390])
      expect(found(`${"a ".repeat(before)}${unsafe} and so on.`)).toContain("violence");
  });

  it("find in strides what they find in the complete text", () => {
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.lorem({ maxCount: 8 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(BOMB, "Death to all Jews!", "You should kill yourself.", "14/88", "die in a fire"),
      },
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const answer = pieces.join(" ");
        const whole = ruleDetector.detect(answer, "output").findings.map(({ category }) => category);
        expect([...found(answer)].sort()).toEqual([...new Set(whole)].sort());
      }),
      { numRuns: 100 },
    );
  });
});

describe("AnchorTrie", () => {
  const trie = new AnchorTrie(["bomb", "your own life", "kill", "year-old"]);

  it.each([
    ["a bomb", true],
    ["BOMBS", true],
    ["b0mb", true],
    ["Your  own\nlife", true],
    ["a 12-year-old", true],
    ["abomb", false],
    ["your life", false],
    ["skills", false],
    ["", false],
  ])("searches %j", (text, isFound) => {
    expect(trie.search(text, 0).isFound).toBe(isFound);
  });

  it("reports where to resume", () => {
    expect(trie.search("he may ki", 0)).toEqual({ isFound: false, resume: 7 });
    expect(trie.search("he may go", 0)).toEqual({ isFound: false, resume: 9 });
    expect(trie.search("your own", 0).resume).toBe(0);
  });
});
