import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { expect, it } from "vitest";
import { createMessageThrottle } from "./message-throttle.ts";

it("createMessageThrottle allows a message once a minute, ignoring differences in its numbers", () => {
  const clock = new ManualClock();
  const isNews = createMessageThrottle(clock);
  const lockOf = (pid: number) => `The lock of process ${pid} is there.`;
  expect(isNews(lockOf(1))).toBe(true);
  for (let pid = 2; pid <= 50; pid++) expect(isNews(lockOf(pid))).toBe(false);
  clock.advance(1);
  expect(isNews("No space left.")).toBe(true);
  clock.advance(59_998);
  expect(isNews(lockOf(51))).toBe(false);
  clock.advance(1);
  expect(isNews(lockOf(52))).toBe(true);
  expect(isNews("No space left.")).toBe(false);
  clock.advance(1);
  expect(isNews("No space left.")).toBe(true);
});
