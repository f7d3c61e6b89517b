import { turnsDuring } from "@trunkline/testing/turns-during.ts";
import { expect, it } from "vitest";
import { atOnce, type Steps, Turn } from "./resumable.ts";

function* counting(steps: number): Steps<number> {
  for (let step = 0; step < steps; step += 1) yield;
  return steps;
}

it("gives what comes of all steps, with stops and without", async () => {
  expect(atOnce(counting(5))).toBe(5);
  expect(await new Turn().take(counting(5))).toBe(5);
});

it("lets nobody wait longer than a few steps that take their time", async () => {
  let now = 0;
  const turn = new Turn(() => {
    now += 0.5;
    return now;
  });
  expect(await turnsDuring(() => turn.take(counting(40)))).toBeGreaterThanOrEqual(10);
});

it("does not stop for work that takes no time", async () => {
  expect(await turnsDuring(() => new Turn(() => 0).take(counting(1_000)))).toBe(0);
});

it("counts the time of all that is done for one request", async () => {
  let now = 0;
  const turn = new Turn(() => now);
  const turns = await turnsDuring(async () => {
    for (let text = 0; text < 20; text += 1) {
      now += 0.5;
      await turn.take(counting(1));
    }
  });
  expect(turns).toBeGreaterThanOrEqual(5);
});
