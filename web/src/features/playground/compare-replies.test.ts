import { expect, it } from "vitest";
import { distinctionsOf } from "./compare-replies.ts";

const reply = (cost: number, totalMs: number) => ({ status: "done" as const, text: "", calls: [], cost, totalMs });
const turn = (a: ReturnType<typeof reply>, b: ReturnType<typeof reply>) => ({
  id: "1",
  text: "",
  files: [],
  replies: { a: [a], b: [b] },
});

it("says which model was cheaper or faster, by how much, and nothing of a tie", () => {
  const compared = turn(reply(0.5, 820), reply(1, 1_000));
  expect(distinctionsOf(compared, ["a", "b"], "a")).toEqual([
    { kind: "cheapest", share: 0.5 },
    { kind: "fastest", share: expect.closeTo(0.18) },
  ]);
  expect(distinctionsOf(compared, ["a", "b"], "b")).toEqual([]);
  expect(distinctionsOf(turn(reply(0, 5), reply(0, 5)), ["a", "b"], "a")).toEqual([]);
  expect(distinctionsOf(compared, ["a"], "a")).toEqual([]);
  expect(distinctionsOf(compared, ["a", "b", "c"], "a")).toEqual([]);
});
