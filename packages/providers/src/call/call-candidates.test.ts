import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { FREE_PRICE } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import {
  asFault,
  broken,
  candidateCalled,
  finish,
  halfOpen,
  hello,
  inference,
  type Script,
  says,
  stage,
  usage,
  world,
} from "@trunkline/testing/scripted-call.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallCandidatesInput } from "./call-input.ts";

describe("callCandidates", () => {
  describe("a first candidate that answers", () => {
    it("is delivered part by part, and no other candidate is called", async () => {
      const run = stage({ a: says(hello, world, usage, finish), b: says(hello) });
      expect(await run.drain()).toEqual({ received: [hello, world, usage, finish], error: undefined });
      expect(run.called).toEqual(["a"]);
      expect(run.chosen).toEqual(["a"]);
      expect(run.attempts).toMatchObject([{ model: "acme/a", outcome: "answered", reason: "ok" }]);
      expect(run.attempts[0]?.firstPartMs).toBeLessThan(run.attempts[0]?.ms ?? 0);
      expect(run.health.of("a")).toMatchObject({ calls: 1, errorRate: 0 });
    });

    it("is announced before its first part is delivered", async () => {
      const run = stage({ a: says(hello) });
      await run.parts.next();
      expect(run.chosen).toEqual(["a"]);
      await run.parts.return(undefined);
    });

    it("gets the request, its id and the signal", async () => {
      const calls: ProviderCall[] = [];
      const run = stage({
        a: (call) => {
          calls.push(call);
          return says(hello)(call);
        },
      });
      await run.drain();
      expect(calls).toMatchObject([{ inference, requestId: "request", model: { name: "a" } }]);
      expect(calls[0]?.signal).toBe(run.controller.signal);
    });

    it("gets no cache lifetime that costs more than its price, and that is reported as unsupported", async () => {
      const calls: ProviderCall[] = [];
      const dropped: string[] = [];
      const cache = { ttl: "1h" } as const;
      const content = [{ type: "text", text: "Hi", cache }] as const;
      const { model, ...candidate } = candidateCalled("a");
      const ownKeyPrice = { ...FREE_PRICE, version: "1" };
      const run = stage(
        {
          a: (call) => {
            calls.push(call);
            return says(hello)(call);
          },
        },
        {
          candidates: [{ ...candidate, model: { ...model, discovered: true, price: ownKeyPrice, ownKeyPrice } }],
          inference: { ...inference, conversation: { messages: [{ role: "user", content }], tools: [] } },
          onChosen: (_candidate, fields) => dropped.push(...fields),
        },
      );
      await run.drain();
      expect(JSON.stringify(calls[0]?.inference)).not.toContain("1h");
      expect(dropped).toEqual(["cache_control.ttl"]);
    });

    it.each([
      ["nothing at all", []],
      ["a finish and nothing else", [usage, finish]],
      ["empty texts", [{ type: "text", text: "" } as const, finish]],
    ])("counts as answered although it sends %s", async (_what, steps) => {
      const run = stage({ a: says(...steps), b: says(hello) });
      const { received, error } = await run.drain();
      expect(error).toBeUndefined();
      expect(received.some(({ type }) => type === "text")).toBe(false);
      expect(run.called).toEqual(["a"]);
      expect(run.chosen).toEqual(["a"]);
      expect(run.attempts).toMatchObject([{ outcome: "answered", reason: "the answer was empty" }]);
    });
  });

  describe("failover", () => {
    it("goes to the next candidate when one fails before its first part", async () => {
      const run = stage({ a: says(broken("no route to host")), b: says(hello, finish), c: says(hello) });
      expect((await run.drain()).received).toEqual([hello, finish]);
      expect(run.called).toEqual(["a", "b"]);
      expect(run.chosen).toEqual(["b"]);
      expect(run.attempts).toMatchObject([
        { model: "acme/a", outcome: "failed", reason: "no route to host", firstPartMs: undefined },
        { model: "acme/b", outcome: "answered" },
      ]);
      expect(run.health.of("a").errorRate).toBeGreaterThan(0);
    });

    it("also follows a rejection, without blaming the endpoint", async () => {
      const rejected = new ProviderFailure("rejected", "it answered 422", { blamesEndpoint: false });
      const run = stage({ a: says(rejected), b: says(hello) });
      expect((await run.drain()).received).toEqual([hello]);
      expect(run.health.of("a").errorRate).toBe(0);
    });

    it("is still possible after an empty text", async () => {
      const run = stage({ a: says({ type: "text", text: "" }, broken()), b: says(hello) });
      expect((await run.drain()).received).toEqual([hello]);
      expect(run.chosen).toEqual(["b"]);
    });

    it("never happens after the first part without continuations: the reader gets the failure", async () => {
      const failure = broken("the stream broke off");
      const once = { ...inference, continues: false };
      const run = stage({ a: says(hello, failure), b: says(world) }, { inference: once });
      expect(await run.drain()).toEqual({ received: [hello], error: failure });
      expect(run.called).toEqual(["a"]);
      expect(run.attempts).toMatchObject([{ outcome: "cut-off", reason: "the stream broke off" }]);
      expect(run.health.of("a").errorRate).toBeGreaterThan(0);
    });

    it("calls each candidate once, also if it is listed twice", async () => {
      const twice = [candidateCalled("a"), candidateCalled("a"), candidateCalled("b")];
      const run = stage({ a: says(broken()), b: says(hello) }, { candidates: twice });
      await run.drain();
      expect(run.called).toEqual(["a", "b"]);
    });

    it("skips a candidate that is not covered, and frees its slot", async () => {
      const run = stage(
        { a: says(hello), b: says(world) },
        { coverCost: async (candidate) => candidate.model.name !== "a" },
      );
      halfOpen(run, "a");
      expect((await run.drain()).received).toEqual([world]);
      expect(run.called).toEqual(["b"]);
      expect(run.attempts).toHaveLength(1);
      expect(run.health.admit("a")).toBe(true);
    });

    it("leaves the slot to its call if the last resort is not covered", async () => {
      const run = stage({ a: says(hello) }, { coverCost: async () => false });
      halfOpen(run, "a");
      expect(run.health.admit("a")).toBe(true);
      await run.drain();
      expect(run.health.admit("a")).toBe(false);
    });

    it("frees the slot when covering the cost throws", async () => {
      const away = new Error("the store is away");
      const run = stage({ a: says(hello) }, { coverCost: () => Promise.reject(away) });
      halfOpen(run, "a");
      expect((await run.drain()).error).toBe(away);
      expect(run.health.admit("a")).toBe(true);
    });

    it("skips a candidate whose breaker has opened since it was chosen", async () => {
      const run = stage({ a: says(hello), b: says(world) });
      for (let call = 0; call < 5; call++) run.health.observe("a").failed(broken());
      expect((await run.drain()).received).toEqual([world]);
      expect(run.called).toEqual(["b"]);
    });

    it("rethrows a bug, calls no other candidate and blames no endpoint", async () => {
      const bug = new TypeError("undefined is not a function");
      const run = stage({ a: says(bug), b: says(hello) });
      halfOpen(run, "a");
      const before = run.health.of("a").calls;
      expect((await run.drain()).error).toBe(bug);
      expect(run.called).toEqual(["a"]);
      expect(run.attempts).toMatchObject([{ outcome: "failed", reason: "an internal error" }]);
      expect(run.health.of("a")).toMatchObject({ available: true, calls: before });
    });

    it("yields one candidate's whole answer, whichever candidates before it fail", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), async (fails) => {
          const text = (index: number): Part => ({ type: "text", text: `answer ${index}` });
          const scripts = fails.map((fail, index) => [`m${index}`, says(fail ? broken() : text(index), finish)]);
          const run = stage(Object.fromEntries(scripts));
          const { received, error } = await run.drain();
          const winner = fails.indexOf(false);
          expect(received).toEqual(winner === -1 ? [] : [text(winner), finish]);
          expect(error instanceof Fault).toBe(winner === -1);
          // A single candidate with a transient failure is called once more.
          const allFailed = Math.max(2, fails.length);
          expect(run.attempts).toHaveLength(winner === -1 ? allFailed : winner + 1);
          expect(run.chosen).toEqual(winner === -1 ? [] : [`m${winner}`]);
        }),
      );
    });
  });

  describe("when every candidate failed", () => {
    it("reports how each of them failed", async () => {
      const run = stage({
        a: says(new ProviderFailure("timeout", "no first byte in 30 s")),
        b: says(broken()),
      });
      const fault = asFault((await run.drain()).error);
      expect(fault).toMatchObject({ type: "provider_error", status: 502 });
      expect(fault.message).toContain("acme/b");
      expect(fault.details.attempts).toEqual([
        { model: "acme/a", reason: "no first byte in 30 s", ms: expect.any(Number) },
        { model: "acme/b", reason: "it broke", ms: expect.any(Number) },
      ]);
      expect(fault.details.retryAfterSeconds).toBeUndefined();
      expect(run.chosen).toEqual([]);
    });

    it("is a timeout if all of them timed out", async () => {
      const slow = () => says(new ProviderFailure("timeout", "no first byte in 30 s"));
      const fault = asFault((await stage({ a: slow(), b: slow() }).drain()).error);
      expect(fault).toMatchObject({ type: "provider_timeout", status: 504 });
    });

    it("has a retry time if all of them asked for a pause", async () => {
      const busy = (retryAfterSeconds?: number) =>
        says(new ProviderFailure("rate-limited", "too many requests", { retryAfterSeconds }));
      const fault = asFault((await stage({ a: busy(30), b: busy(2.5) }).drain()).error);
      expect(fault).toMatchObject({ type: "provider_error", details: { retryAfterSeconds: 3 } });
      const silent = asFault((await stage({ a: busy() }).drain()).error);
      expect(silent.details.retryAfterSeconds).toBeGreaterThan(0);
    });

    it("also lists those that were skipped", async () => {
      const run = stage(
        { a: says(broken()), b: says(hello) },
        { coverCost: async (candidate) => candidate.model.name !== "b" },
      );
      const fault = asFault((await run.drain()).error);
      expect(fault.type).toBe("provider_error");
      expect(fault.details.attempts?.[1]).toMatchObject({ model: "acme/b", ms: 0 });
      expect(run.attempts).toHaveLength(1);
    });

    it("is insufficient_balance if no candidate was covered", async () => {
      const fault = asFault((await stage({ a: says(hello) }, { coverCost: async () => false }).drain()).error);
      expect(fault.type).toBe("insufficient_balance");
    });
  });

  describe("when breakers keep every candidate from being called", () => {
    const allOpen = (scripts: Parameters<typeof stage>[0]) => {
      const run = stage(scripts);
      for (const name of Object.keys(scripts)) {
        for (let call = 0; call < 5; call++) run.health.observe(name).failed(broken());
      }
      return run;
    };

    it("calls the best one as a last resort, and only that one", async () => {
      const run = allOpen({ a: says(hello, finish), b: says(hello, finish) });
      expect((await run.drain()).received).toEqual([hello, finish]);
      expect(run.called).toEqual(["a"]);
    });

    it("lists each candidate once if that fails too", async () => {
      const run = allOpen({ a: says(broken("it is still broken")), b: says(hello) });
      const fault = asFault((await run.drain()).error);
      expect(fault.type).toBe("provider_error");
      expect(fault.details.attempts?.map(({ model, reason }) => [model, reason])).toEqual([
        ["acme/a", "it is still broken"],
        ["acme/b", "not called, as it failed repeatedly just before"],
      ]);
    });

    it("does not call a candidate with an open breaker if another one was called", async () => {
      const run = stage({ a: says(hello), b: says(broken()) });
      for (let call = 0; call < 5; call++) run.health.observe("a").failed(broken());
      expect(asFault((await run.drain()).error).type).toBe("provider_error");
      expect(run.called).toEqual(["b"]);
    });
  });
});

describe("callCandidates with hedging", () => {
  const hedged = {
    ...inference,
    preferences: { ...inference.preferences, speed: "fast", hedge: true },
  } as const;

  /** Sends nothing until its call is aborted, like a real adapter. */
  function silent(log: string[]): Script {
    // oxlint-disable-next-line require-yield -- it sends nothing.
    return async function* ({ signal }) {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve());
      });
      log.push("closed");
      throw new ProviderFailure("broken", "aborted", { blamesEndpoint: false });
    };
  }

  /** Waits end at once, so that the first call is always late. */
  function alwaysLate(waits: number[] = []): Partial<CallCandidatesInput> {
    return { inference: hedged, wait: async (ms) => void waits.push(ms) };
  }

  /** Waits never end, so that the first call is never late. */
  const neverLate: Partial<CallCandidatesInput> = {
    inference: hedged,
    wait: (_ms, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };

  describe("a hedged request", () => {
    it("goes to a second model when the first is late, and the first call is cancelled", async () => {
      const log: string[] = [];
      const waits: number[] = [];
      const run = stage({ a: silent(log), b: says(hello, world, finish) }, alwaysLate(waits));
      expect((await run.drain()).received).toEqual([hello, world, finish]);
      expect(run.called).toEqual(["a", "b"]);
      expect(run.chosen).toEqual(["b"]);
      expect(log).toEqual(["closed"]);
      // Twice its expected latency, as its time to the first part is unknown.
      expect(waits).toEqual([2 * candidateCalled("a").latencyMs]);
      expect(run.attempts).toMatchObject([
        { model: "acme/a", outcome: "cancelled", reason: "another model was faster" },
        { model: "acme/b", outcome: "answered" },
      ]);
      expect(run.health.of("a")).toMatchObject({ calls: 0, errorRate: 0 });
    });

    it("waits for the first model's p95 time to the first part, if that is known", async () => {
      const waits: number[] = [];
      const run = stage({ a: silent([]), b: says(hello) }, alwaysLate(waits));
      const known = run.health.of.bind(run.health);
      run.health.of = (id) => ({ ...known(id), firstPartP95Ms: 370 });
      await run.drain();
      expect(waits).toEqual([370]);
    });

    it("calls no other model if the first answers in time", async () => {
      const run = stage({ a: says(hello, finish), b: says(world) }, neverLate);
      expect((await run.drain()).received).toEqual([hello, finish]);
      expect(run.called).toEqual(["a"]);
    });

    it("fails over as usual if the first fails in time", async () => {
      const run = stage({ a: says(broken()), b: says(hello, finish), c: says(world) }, neverLate);
      expect((await run.drain()).received).toEqual([hello, finish]);
      expect(run.called).toEqual(["a", "b"]);
    });

    it("is won by the first model if that answers after all, and the second call is cancelled", async () => {
      const log: string[] = [];
      let answerNow: () => void = () => undefined;
      const run = stage(
        {
          a: async function* () {
            await new Promise<void>((resolve) => {
              answerNow = resolve;
            });
            yield hello;
            yield finish;
          },
          b: (call) => {
            answerNow();
            return silent(log)(call);
          },
        },
        alwaysLate(),
      );
      expect((await run.drain()).received).toEqual([hello, finish]);
      expect(run.chosen).toEqual(["a"]);
      expect(run.attempts).toMatchObject([
        { model: "acme/b", outcome: "cancelled" },
        { model: "acme/a", outcome: "answered" },
      ]);
      expect(log).toEqual(["closed"]);
    });

    it("never calls more than two models at once, and goes on to a third if both fail", async () => {
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
        alwaysLate(),
      );
      expect((await run.drain()).received).toEqual([hello, finish]);
      expect(run.called).toEqual(["a", "b", "c"]);
    });

    it("lists both if both fail", async () => {
      const run = stage({ a: says(broken("a broke")), b: says(broken("b broke")) }, alwaysLate());
      expect(asFault((await run.drain()).error).details.attempts).toMatchObject([
        { model: "acme/a", reason: "a broke" },
        { model: "acme/b", reason: "b broke" },
      ]);
    });

    it("waits for the first alone if the retry budget is spent or the second is not covered", async () => {
      const late: Script = async function* () {
        await new Promise((resolve) => setImmediate(resolve));
        yield hello;
      };
      for (const change of [
        { mayRetry: () => false },
        { coverCost: async ({ model }: { model: { name: string } }) => model.name === "a" },
      ]) {
        const run = stage({ a: late, b: says(world) }, { ...alwaysLate(), ...change });
        expect((await run.drain()).received).toEqual([hello]);
        expect(run.called).toEqual(["a"]);
      }
    });

    it("discards the second if the first answers while the cost of the second is being covered", async () => {
      let answerNow: () => void = () => undefined;
      const run = stage(
        {
          a: async function* () {
            await new Promise<void>((resolve) => {
              answerNow = resolve;
            });
            yield hello;
          },
          b: says(world),
        },
        {
          ...alwaysLate(),
          coverCost: async ({ model }) => {
            if (model.name === "b") {
              answerNow();
              for (let turn = 0; turn < 20; turn++) await Promise.resolve();
            }
            return true;
          },
        },
      );
      expect((await run.drain()).received).toEqual([hello]);
      expect(run.attempts).toMatchObject([{ model: "acme/a", outcome: "answered" }]);
      expect(run.attempts).toHaveLength(1);
    });

    it("ends both calls when the client disconnects", async () => {
      const log: string[] = [];
      const gone = new Error("the socket closed");
      const run = stage({ a: silent(log), b: silent(log) }, alwaysLate());
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

    it("is not hedged with a single candidate, which is called again after a transient failure", async () => {
      let calls = 0;
      const run = stage(
        {
          a: async function* () {
            if (++calls === 1) throw broken();
            yield hello;
          },
        },
        alwaysLate(),
      );
      expect((await run.drain()).received).toEqual([hello]);
      expect(run.called).toEqual(["a", "a"]);
    });

    it.each([
      ["not asked for", { ...hedged, preferences: { ...hedged.preferences, hedge: false } }],
      ["not meant to be fast", { ...hedged, preferences: { ...hedged.preferences, speed: "any" } }],
    ] as const)("is not hedged where that is %s", async (_why, asked) => {
      const run = stage({ a: says(hello), b: says(world) }, { ...alwaysLate(), inference: asked });
      expect((await run.drain()).received).toEqual([hello]);
      expect(run.called).toEqual(["a"]);
    });
  });
});
