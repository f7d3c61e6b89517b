import { expect, it } from "vitest";
import { guardOf } from "./guard.ts";
import { judgePassages } from "./judge-passages.ts";
import { BALANCED } from "./policy.ts";
import { ruleDetector } from "./rules/rule-detector.ts";

it("others have their turn between many passages, none of which is long", async () => {
  const passages = Array.from({ length: 6 }, () => ({
    text: "All is well. ".repeat(300),
    channel: "user" as const,
  }));
  let turns = 0;
  let isOver = false;
  const take = () => {
    turns += 1;
    if (!isOver) setImmediate(take);
  };
  setImmediate(take);
  expect(await judgePassages(guardOf(ruleDetector, BALANCED), passages)).toHaveLength(6);
  isOver = true;
  expect(turns).toBeGreaterThan(1);
});
