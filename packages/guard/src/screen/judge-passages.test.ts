import { turnsDuring } from "@trunkline/testing/turns-during.ts";
import { expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { BALANCED } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { evaluatePassages } from "./judge-passages.ts";

it("others have their turn between many passages, none of which is long", async () => {
  const passages = Array.from({ length: 6 }, () => ({
    text: "All is well. ".repeat(300),
    channel: "user" as const,
  }));
  const turns = await turnsDuring(async () =>
    expect(await evaluatePassages(createGuard(ruleDetector, BALANCED), passages)).toHaveLength(6),
  );
  expect(turns).toBeGreaterThan(1);
});
