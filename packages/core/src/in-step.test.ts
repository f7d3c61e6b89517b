import { describe, expect, it } from "vitest";
import { inStep, TurnBatch } from "./in-step.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("TurnBatch", () => {
  it("handles what arrived in a turn together at its end, in order", async () => {
    const batch = new TurnBatch<() => void>((handle) => handle());
    const log: string[] = [];
    batch.add(() => log.push("one"));
    await Promise.resolve();
    batch.add(() => log.push("two"));
    expect(log).toEqual([]);
    await nextTurn();
    expect(log).toEqual(["one", "two"]);
  });

  it("handles what arrives meanwhile in the next turn", async () => {
    const batch = new TurnBatch<() => void>((handle) => handle());
    const log: string[] = [];
    batch.add(() => {
      log.push("one");
      batch.add(() => log.push("two"));
    });
    await nextTurn();
    expect(log).toEqual(["one"]);
    await nextTurn();
    expect(log).toEqual(["one", "two"]);
  });
});

describe("inStep", () => {
  it("lets all that began together finish a stage before one begins the next", async () => {
    const batch = new TurnBatch<() => void>((handle) => handle());
    const log: string[] = [];
    const run = async (name: string) => {
      log.push(`${name} reads`);
      await inStep;
      log.push(`${name} routes`);
      await inStep;
      log.push(`${name} checks`);
    };
    for (const name of ["one", "two"]) batch.add(() => void run(name));
    await nextTurn();
    expect(log).toEqual(["one reads", "two reads", "one routes", "two routes", "one checks", "two checks"]);
  });
});
