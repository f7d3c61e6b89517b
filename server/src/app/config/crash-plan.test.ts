import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import { mistakeOf } from "../../../test/support/config-file.ts";
import { readConfig } from "./config.ts";
import { CRASH_POINTS, CrashSchedule, readCrashPlan } from "./crash-plan.ts";

describe("a plan of crashes", () => {
  it("is a seed and rates", () => {
    expect(readCrashPlan("seed=7,after-hold=0.01,mid-stream=1")).toEqual({
      seed: "7",
      quietMs: 0,
      rates: { "after-hold": 0.01, "mid-stream": 1 },
    });
    expect(readCrashPlan(" seed=a-b.c , quiet-ms=1500, after-commit=1e-3 ")).toEqual({
      seed: "a-b.c",
      quietMs: 1_500,
      rates: { "after-commit": 0.001 },
    });
  });

  it("is part of the configuration, and off unless it is set", () => {
    expect(readConfig({ TRUNKLINE_CRASH_POINTS: "seed=7,after-hold=0.5" }).crashPoints).toEqual({
      seed: "7",
      quietMs: 0,
      rates: { "after-hold": 0.5 },
    });
    expect(readConfig({}).crashPoints).toBeUndefined();
    expect(readConfig({ TRUNKLINE_CRASH_POINTS: "" }).crashPoints).toBeUndefined();
  });

  it.each([
    "yes",
    "seed=7",
    "after-hold=0.1",
    "seed=7,after-lunch=0.1",
    "seed=7,after-hold=0",
    "seed=7,after-hold=1.5",
    "seed=7,after-hold=-1",
    "seed=7,after-hold=often",
    "seed=7,after-hold=0.1,after-hold=0.2",
    "seed=7,seed=8,after-hold=0.1",
    "seed=7,after-hold=0.1,",
    "seed=7,quiet-ms=-1,after-hold=0.1",
    "seed=7,quiet-ms=a-while,after-hold=0.1",
    "seed=7;after-hold=0.1",
  ])("that is malformed stops the start with a sentence: %s", (text) => {
    const mistake = mistakeOf(() => readConfig({ TRUNKLINE_CRASH_POINTS: text }));
    expect(mistake).toMatch(/^The variable TRUNKLINE_CRASH_POINTS must look like seed=7,after-hold=0\.01: /);
    for (const point of CRASH_POINTS) expect(mistake).toContain(point);
  });
});

describe("the draws of a plan", () => {
  const clock = new ManualClock();
  const passes = (draws: CrashSchedule, count: number) =>
    Array.from({ length: count }, () => draws.strikes("after-hold"));

  it("are the same for the same seed, whatever happens at the other places", () => {
    const plan = { seed: "7", quietMs: 0, rates: { "after-hold": 0.3, "after-commit": 0.3 } };
    const disturbed = new CrashSchedule(plan, clock);
    const seen = Array.from({ length: 200 }, () => {
      disturbed.strikes("after-commit");
      return disturbed.strikes("after-hold");
    });
    expect(seen).toEqual(passes(new CrashSchedule(plan, clock), 200));
    expect(seen).not.toEqual(passes(new CrashSchedule({ ...plan, seed: "8" }, clock), 200));
  });

  it("wait until the quiet time is over", () => {
    const draws = new CrashSchedule({ seed: "7", quietMs: 1_000, rates: { "after-hold": 1 } }, clock);
    clock.advance(999);
    expect(passes(draws, 50)).not.toContain(true);
    clock.advance(1);
    expect(passes(draws, 50)).not.toContain(false);
  });

  it("strike as often as the rate says, and never where there is none", () => {
    const draws = new CrashSchedule({ seed: "7", quietMs: 0, rates: { "after-hold": 0.25 } }, clock);
    const struck = passes(draws, 4_000).filter(Boolean).length;
    expect(struck).toBeGreaterThan(900);
    expect(struck).toBeLessThan(1_100);
    expect(Array.from({ length: 1_000 }, () => draws.strikes("mid-stream"))).not.toContain(true);
  });
});
