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
