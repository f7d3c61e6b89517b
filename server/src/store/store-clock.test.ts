import { describe, expect, it } from "vitest";
import { StoreClock } from "./store-clock.ts";

const TRUE_TIME = Date.UTC(2026, 4, 1);
const HOUR_MS = 3_600_000;

/** A machine whose clock is off by `skewMs`, and a store with the true time that answers after `roundTripMs`. */
function wrongMachine(skewMs: number, roundTripMs = 4) {
  const world = { elapsedMs: 0, skewMs, storeSkewMs: 0 };
  const own = { now: () => TRUE_TIME + world.elapsedMs + world.skewMs, monotonicMs: () => 5_000 + world.elapsedMs };
  const clock = new StoreClock(own);
  const ask = () => {
    const sentMs = own.monotonicMs();
    world.elapsedMs += roundTripMs / 2;
    const storeTime = TRUE_TIME + world.elapsedMs + world.storeSkewMs;
    world.elapsedMs += roundTripMs / 2;
    return { sentMs, answeredMs: own.monotonicMs(), storeTime };
  };
  const database = { query: async () => [{ time: ask().storeTime }] as never[] };
  /** Lets time go by with a look at the store each second. */
  const live = (seconds: number, each: () => void = () => undefined) => {
    for (let second = 0; second < seconds; second++) {
      world.elapsedMs += 1_000;
      clock.observe(ask());
      each();
    }
  };
  return { world, clock, database, live, trueTime: () => TRUE_TIME + world.elapsedMs };
}

describe("the time of a service", () => {
  it.each([3 * HOUR_MS, -3 * HOUR_MS, 400, -400])(
    "is the store's from the start, with a clock off by %d ms",
    async (skewMs) => {
      const { clock, database, trueTime } = wrongMachine(skewMs);
      clock.now();
      await clock.set(database);
      expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(3);
      expect(clock.skewMs).toBeCloseTo(skewMs, 0);
    },
  );

  it("is the machine's own where the difference is less than can be measured", async () => {
    const { clock, database, trueTime } = wrongMachine(30, 200);
    await clock.set(database);
    expect(clock.now()).toBe(trueTime() + 30);
  });

  it("does not follow a machine's clock that is set meanwhile, and the skew is measured", async () => {
    const { clock, database, live, world, trueTime } = wrongMachine(0);
    await clock.set(database);
    world.skewMs = HOUR_MS;
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(3);
    live(61);
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(3);
    expect(clock.skewMs).toBeCloseTo(HOUR_MS, 0);
  });

  it("never goes back where the store's time does: it goes slower until they agree", async () => {
    const { clock, database, live, world } = wrongMachine(0);
    await clock.set(database);
    world.storeSkewMs = -5_000;
    let last = clock.now();
    live(61 + 60, () => {
      const now = clock.now();
      expect(now).toBeGreaterThan(last);
      last = now;
    });
    expect(Math.abs(clock.now() - (TRUE_TIME + world.elapsedMs - 5_000))).toBeLessThanOrEqual(3);
  });

  it("is set forward at once where it has fallen far behind, as after a sleep", async () => {
    const { clock, database, live, world } = wrongMachine(0);
    await clock.set(database);
    world.storeSkewMs = HOUR_MS;
    live(61);
    expect(Math.abs(clock.now() - (TRUE_TIME + world.elapsedMs + HOUR_MS))).toBeLessThanOrEqual(3);
  });

  it("counts the sample with the shortest round trip of each minute", async () => {
    const { clock, database, world, trueTime } = wrongMachine(0);
    await clock.set(database);
    const nowMs = clock.monotonicMs();
    clock.observe({ sentMs: nowMs, answeredMs: nowMs + 2, storeTime: trueTime() + 1 });
    world.elapsedMs += 70_000;
    // A late answer: the store looked at its clock long before the middle.
    expect(clock.observe({ sentMs: nowMs + 60_000, answeredMs: nowMs + 70_000, storeTime: trueTime() - 9_000 })).toBe(
      true,
    );
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(3);
  });
});
