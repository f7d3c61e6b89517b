import { Fault } from "@trunkline/core/fault.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { RateLimiter } from "../../src/ledger/limits/rate-limiter.ts";
import { DEFAULT_LIMITS } from "./limited-caller.ts";
import { MemoryRateWindows } from "./memory-rate-windows.ts";

/** Too many requests of one key, for a while, over several instances that share one store. */
export interface Overload {
  readonly limit: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly instances: number;
  /** How long an answer of the store takes. */
  readonly storeMs: number;
  /** Which instance gets a request; `draw` is random, from 0 up to 1. */
  readonly spread: (nth: number, atMs: number, draw: number) => number;
  readonly seed: number;
}

const STEP_MS = 10;

/** Plays it on held clocks, each instance's at another time. Tells when each admission was, in ms since the start. */
export async function playOverload(overload: Overload): Promise<readonly number[]> {
  const time = new ManualClock();
  const windows = new MemoryRateWindows(time);
  const answers = new Set<{ readonly dueMs: number; readonly arrive: () => void }>();
  windows.answersAfter = () =>
    new Promise((arrive) => answers.add({ dueMs: time.monotonicMs() + overload.storeMs, arrive }));
  const instances = Array.from({ length: overload.instances }, (_, at) => {
    const clock = new ManualClock(undefined, at * 1_234_567.8);
    return { clock, limiter: new RateLimiter(DEFAULT_LIMITS, windows, clock) };
  });
  const caller = sampleCaller({ requestsPerMinute: overload.limit });
  const draw = drawFrom(overload.seed);
  const admitted: number[] = [];
  const send = async (nth: number) => {
    const at = overload.spread(nth, time.monotonicMs(), draw()) % instances.length;
    try {
      await instances[at]?.limiter.admit(caller, { rateLimit: undefined });
      admitted.push(time.monotonicMs());
    } catch (error) {
      if (!(error instanceof Fault) || error.type !== "rate_limited") throw error;
    }
  };

  const requests: Promise<void>[] = [];
  const deliver = (untilMs: number) => {
    for (const answer of answers) {
      if (answer.dueMs > untilMs) continue;
      answers.delete(answer);
      answer.arrive();
    }
    return settle();
  };
  for (let atMs = 0; atMs < overload.seconds * 1_000; atMs += STEP_MS) {
    while (requests.length * 1_000 < overload.perSecond * (atMs + STEP_MS)) requests.push(send(requests.length));
    time.advance(STEP_MS);
    for (const { clock } of instances) clock.advance(STEP_MS);
    await deliver(time.monotonicMs());
  }
  while (answers.size > 0) await deliver(Number.POSITIVE_INFINITY);
  await Promise.all(requests);
  return admitted;
}

/** How many fell into each minute that began every tenth of a second, the first and the last whole ones included. */
export function countMinutes(admittedMs: readonly number[], seconds: number): readonly number[] {
  const sorted = admittedMs.toSorted((one, other) => one - other);
  const before = (ms: number) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? 0) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const minutes = (seconds - 60) * 10 + 1;
  return Array.from({ length: minutes }, (_, at) => before(at * 100 + 60_000) - before(at * 100));
}

/** Lets everything run that waits for nothing but its turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
