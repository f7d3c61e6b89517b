import { describe, expect, it } from "vitest";
import { Arrival, inStep, promiseOf, runStages, type Stages, TurnBatch, waitFor } from "./in-step.ts";

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

describe("Arrival", () => {
  it("ends the wait of its listener, also where something came before there was one", async () => {
    const arrival = new Arrival();
    const early = promiseOf(arrival.begin());
    arrival.come();
    await early;
    arrival.begin().come();
    await promiseOf(arrival);
  });

  it("does for one wait after the other", async () => {
    const arrival = new Arrival();
    const log: string[] = [];
    function* reads(): Stages<void> {
      for (const name of ["one", "two"]) {
        yield arrival.begin();
        log.push(name);
      }
    }
    const reading = runStages(reads());
    arrival.come();
    await nextTurn();
    expect(log).toEqual(["one"]);
    arrival.come();
    await reading;
    expect(log).toEqual(["one", "two"]);
  });

  it("is over once a promise has resolved", async () => {
    await promiseOf(Arrival.of(Promise.resolve()));
  });
});

describe("stages", () => {
  it("let all that began together finish a stage before one begins the next", async () => {
    const log: string[] = [];
    function* stagesOf(name: string): Stages<string> {
      log.push(`${name} reads`);
      yield inStep;
      log.push(`${name} routes`);
      yield inStep;
      log.push(`${name} checks`);
      return name;
    }
    expect(await Promise.all([runStages(stagesOf("one")), runStages(stagesOf("two"))])).toEqual(["one", "two"]);
    expect(log).toEqual(["one reads", "two reads", "one routes", "two routes", "one checks", "two checks"]);
  });

  it("wait for promises and for values", async () => {
    function* add(): Stages<number> {
      return (yield* waitFor(Promise.resolve(1))) + (yield* waitFor(2));
    }
    expect(await runStages(add())).toBe(3);
  });

  it("get the error of a promise, and end with their own", async () => {
    const log: unknown[] = [];
    function* failing(): Stages<never> {
      try {
        return yield* waitFor(Promise.reject(new Error("away")));
      } catch (error) {
        log.push(error);
        yield inStep;
        throw new Error("over");
      } finally {
        log.push("left");
      }
    }
    await expect(runStages(failing())).rejects.toThrow("over");
    expect(log).toEqual([new Error("away"), "left"]);
  });

  it("do not keep the others of their turn from going on where one fails", async () => {
    function* stagesOf(fails: boolean): Stages<string> {
      yield inStep;
      if (fails) throw new Error("no");
      return "yes";
    }
    const [failed, ended] = await Promise.allSettled([runStages(stagesOf(true)), runStages(stagesOf(false))]);
    expect(failed.status).toBe("rejected");
    expect(ended).toEqual({ status: "fulfilled", value: "yes" });
  });
});
