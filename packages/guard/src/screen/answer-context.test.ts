import { sampleAnswerContext } from "@trunkline/testing/sample-answer-context.ts";
import { expect, it } from "vitest";
import { actionFor, BALANCED, STRICT } from "../policy/policy.ts";
import { CERTAIN, HINT, LIKELY } from "./answer-context.ts";

it("the presets refuse CERTAIN and report the rest, and the strict one also refuses LIKELY", () => {
  const actions = [HINT, LIKELY, CERTAIN].map((score) => [
    actionFor(BALANCED, "injection", score),
    actionFor(STRICT, "injection", score),
  ]);
  expect(actions).toEqual([
    ["report", "report"],
    ["report", "refuse"],
    ["refuse", "refuse"],
  ]);
  expect(actionFor(BALANCED, "illicit", HINT)).toBe("report");
});

it.each([
  ["", false],
  ["You are a concise assistant, and so you answer in one.", false],
  ["You are a concise assistant, and so you answer in one sentence.", true],
  ["请用简短的中文句子来回答", true],
  ["请用简短的中文句子来答", false],
])("a prompt of twelve words or more is protected: %s", (prompt, isProtected) => {
  expect(sampleAnswerContext({ system: prompt }).promptIndex !== undefined).toBe(isProtected);
});
