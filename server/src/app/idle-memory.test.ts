import { Session } from "node:inspector";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startIdleCollection } from "./idle-memory.ts";

let cpu = 0;
let rss = 0;
const posted = vi.fn((_method: string, done: () => void) => done());

beforeEach(() => {
  vi.useFakeTimers();
  posted.mockClear();
  [cpu, rss] = [0, 150_000_000];
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: cpu, system: 0 }));
  vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => rss);
  vi.spyOn(Session.prototype, "post").mockImplementation(posted as unknown as Session["post"]);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("collects once after the start, and again after the process has grown", async () => {
  const stop = startIdleCollection(() => false);
  await collections(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(posted).toHaveBeenCalledTimes(1);
  rss += 30_000_000;
  await collections(2);
  stop();
  rss += 300_000_000;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(posted).toHaveBeenCalledTimes(2);
});

it("leaves a process alone that serves a request or computes", async () => {
  let serving = true;
  const stop = startIdleCollection(() => serving);
  await vi.advanceTimersByTimeAsync(3_000);
  rss += 300_000_000;
  await vi.advanceTimersByTimeAsync(6_000);
  serving = false;
  // Half a processor's time in the next three seconds.
  cpu += 1_500_000;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(posted).not.toHaveBeenCalled();
  await collections(1);
  stop();
});

it("keeps the compiled code of a process that is in use, also if it was large from the start", async () => {
  rss = 300_000_000;
  let serving = true;
  const stop = startIdleCollection(() => serving);
  await vi.advanceTimersByTimeAsync(3_000);
  serving = false;
  rss += 200_000_000;
  await vi.advanceTimersByTimeAsync(9 * 60_000);
  expect(posted).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  await collections(1);
  stop();
});

/** Lets the next check come, and waits until so many collections were asked for in all. */
async function collections(count: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(3_000);
  await vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(count));
  await vi.advanceTimersByTimeAsync(0);
}
