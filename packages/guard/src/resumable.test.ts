import { countEventLoopTurns } from "@trunkline/testing/event-loop-turns.ts";
import { expect, it } from "vitest";
import { type Resumable, runToEnd, TimeSlice } from "./resumable.ts";

function* counting(steps: number): Resumable<number> {
  for (let step = 0; step < steps; step += 1) yield;
  return steps;
}

it("returns the result of all steps, with and without pauses", async () => {
  expect(runToEnd(counting(5))).toBe(5);
  expect(await new TimeSlice().run(counting(5))).toBe(5);
});

it("yields to the event loop after a few slow steps", async () => {
  let now = 0;
  const timeSlice = new TimeSlice(() => {
    now += 0.5;
    return now;
  });
  expect(await countEventLoopTurns(() => timeSlice.run(counting(40)))).toBeGreaterThanOrEqual(10);
});

it("does not yield for work that takes no time", async () => {
  expect(await countEventLoopTurns(() => new TimeSlice(() => 0).run(counting(1_000)))).toBe(0);
});

it("counts the time of all work for one request", async () => {
  let now = 0;
  const timeSlice = new TimeSlice(() => now);
  const turns = await countEventLoopTurns(async () => {
    for (let text = 0; text < 20; text += 1) {
      now += 0.5;
      await timeSlice.run(counting(1));
    }
  });
  expect(turns).toBeGreaterThanOrEqual(5);
});
