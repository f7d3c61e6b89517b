import { ProviderFailure } from "@trunkline/core/attempt.ts";
import {
  asFault,
  broken,
  candidateCalled,
  finish,
  hello,
  inference,
  type Script,
  says,
  stage,
  world,
} from "@trunkline/testing/scripted-call.ts";
import { describe, expect, it } from "vitest";
import type { CallCandidatesInput } from "./call-candidates-input.ts";

const hasty = {
  ...inference,
  preferences: { ...inference.preferences, speed: "fast", hedge: true },
} as const;

/** Is silent until its call is ended, like a real adapter. */
function silent(log: string[]): Script {
  // oxlint-disable-next-line require-yield -- it says nothing.
  return async function* ({ signal }) {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
    });
    log.push("closed");
    throw new ProviderFailure("broken", "aborted", { blamesEndpoint: false });
  };
}

/** Time that passes at once, so that whoever is waited for is always late. */
function impatient(waits: number[] = []): Partial<CallCandidatesInput> {
  return { inference: hasty, wait: async (ms) => void waits.push(ms) };
}

/** Time that never passes. */
const patient: Partial<CallCandidatesInput> = {
  inference: hasty,
  wait: (_ms, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
};

describe("a hedged request", () => {
  it("goes to a second model where the first is late, and the first is called off", async () => {
    const log: string[] = [];
    const waits: number[] = [];
    const run = stage({ a: silent(log), b: says(hello, world, finish) }, impatient(waits));
    expect((await run.drain()).heard).toEqual([hello, world, finish]);
    expect(run.called).toEqual(["a", "b"]);
    expect(run.chosen).toEqual(["b"]);
    expect(log).toEqual(["closed"]);
    // Twice what is expected of it, as nothing is known of its first parts.
    expect(waits).toEqual([2 * candidateCalled("a").latencyMs]);
    expect(run.attempts).toMatchObject([
      { model: "acme/a", outcome: "cancelled", reason: "another model was faster" },
      { model: "acme/b", outcome: "answered" },
    ]);
    expect(run.health.of("a")).toMatchObject({ calls: 0, errorRate: 0 });
  });

  it("waits for the first as long as 95 of 100 of its first parts take, where that is known", async () => {
    const waits: number[] = [];
    const run = stage({ a: silent([]), b: says(hello) }, impatient(waits));
    const known = run.health.of.bind(run.health);
    run.health.of = (id) => ({ ...known(id), firstPartP95Ms: 370 });
    await run.drain();
    expect(waits).toEqual([370]);
  });

  it("calls nobody else where the first speaks in time", async () => {
    const run = stage({ a: says(hello, finish), b: says(world) }, patient);
    expect((await run.drain()).heard).toEqual([hello, finish]);
    expect(run.called).toEqual(["a"]);
  });

  it("fails over as ever where the first fails in time", async () => {
    const run = stage({ a: says(broken()), b: says(hello, finish), c: says(world) }, patient);
    expect((await run.drain()).heard).toEqual([hello, finish]);
    expect(run.called).toEqual(["a", "b"]);
  });

  it("is won by the first where that speaks after all, and the second is called off", async () => {
    const log: string[] = [];
    let speakUp: () => void = () => undefined;
    const run = stage(
      {
        a: async function* () {
          await new Promise<void>((resolve) => {
            speakUp = resolve;
          });
          yield hello;
          yield finish;
        },
        b: (call) => {
          speakUp();
          return silent(log)(call);
        },
      },
      impatient(),
    );
    expect((await run.drain()).heard).toEqual([hello, finish]);
    expect(run.chosen).toEqual(["a"]);
    expect(run.attempts).toMatchObject([
      { model: "acme/b", outcome: "cancelled" },
      { model: "acme/a", outcome: "answered" },
    ]);
    expect(log).toEqual(["closed"]);
  });

  it("never has more than two models at work, and goes on to a third where both fail", async () => {
    let failFirst: () => void = () => undefined;
    const run = stage(
      {
        // oxlint-disable-next-line require-yield -- it fails.
        a: async function* () {
          await new Promise<void>((resolve) => {
            failFirst = resolve;
          });
          throw broken("a broke");
        },
        b: (call) => {
          failFirst();
          return says(broken("b broke"))(call);
        },
        c: says(hello, finish),
      },
      impatient(),
    );
    expect((await run.drain()).heard).toEqual([hello, finish]);
    expect(run.called).toEqual(["a", "b", "c"]);
  });

  it("tells of both where everybody fails", async () => {
    const run = stage({ a: says(broken("a broke")), b: says(broken("b broke")) }, impatient());
    expect(asFault((await run.drain()).error).details.attempts).toMatchObject([
      { model: "acme/a", reason: "a broke" },
      { model: "acme/b", reason: "b broke" },
    ]);
  });

  it("waits for the first alone where the budget for retries is spent, or the second can't be paid", async () => {
    const late: Script = async function* () {
      await new Promise((resolve) => setImmediate(resolve));
      yield hello;
    };
    for (const change of [
      { mayRetry: () => false },
      { secure: async ({ model }: { model: { name: string } }) => model.name === "a" },
    ]) {
      const run = stage({ a: late, b: says(world) }, { ...impatient(), ...change });
      expect((await run.drain()).heard).toEqual([hello]);
      expect(run.called).toEqual(["a"]);
    }
  });

  it("drops the second where the first speaks while the money for it is set aside", async () => {
    let speakUp: () => void = () => undefined;
    const run = stage(
      {
        a: async function* () {
          await new Promise<void>((resolve) => {
            speakUp = resolve;
          });
          yield hello;
        },
        b: says(world),
      },
      {
        ...impatient(),
        coverCost: async ({ model }) => {
          if (model.name === "b") {
            speakUp();
            for (let turn = 0; turn < 20; turn++) await Promise.resolve();
          }
          return true;
        },
      },
    );
    expect((await run.drain()).heard).toEqual([hello]);
    expect(run.attempts).toMatchObject([{ model: "acme/a", outcome: "answered" }]);
    expect(run.attempts).toHaveLength(1);
  });

  it("ends both calls when the client hangs up", async () => {
    const log: string[] = [];
    const gone = new Error("the socket closed");
    const run = stage({ a: silent(log), b: silent(log) }, impatient());
    const first = run.parts.next();
    while (run.called.length < 2) await new Promise((resolve) => setImmediate(resolve));
    run.controller.abort(gone);
    await expect(first).rejects.toBe(gone);
    expect(log).toEqual(["closed", "closed"]);
    expect(run.attempts).toMatchObject([
      { outcome: "cut-off", reason: "the client hung up" },
      { outcome: "cut-off", reason: "the client hung up" },
    ]);
  });

  it("is an ordinary one where there is but one candidate, which is called again where its trouble may pass", async () => {
    let calls = 0;
    const run = stage(
      {
        a: async function* () {
          if (++calls === 1) throw broken();
          yield hello;
        },
      },
      impatient(),
    );
    expect((await run.drain()).heard).toEqual([hello]);
    expect(run.called).toEqual(["a", "a"]);
  });

  it.each([
    ["not asked for", { ...hasty, preferences: { ...hasty.preferences, hedge: false } }],
    ["not in a hurry", { ...hasty, preferences: { ...hasty.preferences, speed: "any" } }],
  ] as const)("is an ordinary one where it is %s", async (_why, asked) => {
    const run = stage({ a: says(hello), b: says(world) }, { ...impatient(), inference: asked });
    expect((await run.drain()).heard).toEqual([hello]);
    expect(run.called).toEqual(["a"]);
  });
});
