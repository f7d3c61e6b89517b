import { countEventLoopTurns } from "@trunkline/testing/event-loop-turns.ts";
import { expect, it } from "vitest";
import { TimeSlice } from "./time-slice.ts";

it("is used up after some time, and begins again with the next turn of the event loop", async () => {
  let now = 0;
  const timeSlice = new TimeSlice(() => now);
  expect(timeSlice.isUsedUp).toBe(false);
  now += 1.2;
  expect(timeSlice.isUsedUp).toBe(false);
  now += 1.2;
  expect(timeSlice.isUsedUp).toBe(true);
  expect(await countEventLoopTurns(() => timeSlice.yieldToEventLoop())).toBeGreaterThanOrEqual(1);
  expect(timeSlice.isUsedUp).toBe(false);
});
