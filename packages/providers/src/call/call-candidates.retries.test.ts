import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { createSeededRandom } from "@trunkline/core/random.ts";
import {
  asFault,
  broken,
  candidateCalled,
  finish,
  hello,
  inference,
  inGroups,
  type Script,
  says,
  stage,
} from "@trunkline/testing/scripted-call.ts";
import { describe, expect, it } from "vitest";
import { DialFailure } from "../dialer/dial-request.ts";
import { EndpointHealth } from "../health/endpoint-health.ts";
import { callCandidates } from "./call-candidates.ts";
import { RetryBudget } from "./retry-policy.ts";

/** Fails the first calls and answers from then on. */
function failsAtFirst(times: number, failure: Error): Script {
  let calls = 0;
  return async function* () {
    if (++calls <= times) throw failure;
    yield hello;
    yield finish;
  };
}

describe("a single candidate", () => {
  const unreachable = new ProviderFailure(
    "refused",
    "the connection was refused",
    {},
    { cause: new DialFailure("refused", "the connection was refused") },
  );

  it.each([
    ["broken", broken()],
    ["not reached", unreachable],
  ])("is called once more after a random delay if it was %s", async (_how, failure) => {
    const waits: number[] = [];
    const run = stage({ a: failsAtFirst(1, failure) }, { random: () => 0.25, wait: async (ms) => void waits.push(ms) });
    expect((await run.drain()).received).toEqual([hello, finish]);
    expect(run.called).toEqual(["a", "a"]);
    expect(waits).toEqual([50]);
    expect(run.attempts).toMatchObject([{ outcome: "failed" }, { outcome: "answered" }]);
  });

  it("is not called a third time, and listed once", async () => {
    const run = stage({ a: failsAtFirst(2, broken("it is down")) });
    const fault = asFault((await run.drain()).error);
    expect(run.called).toEqual(["a", "a"]);
    expect(fault.message).toBe("The model acme/a failed: it is down. Try again or name another model.");
    expect(fault.details.attempts).toHaveLength(1);
  });

  it.each([
    ["rejected", new ProviderFailure("rejected", "no such voice", { blamesEndpoint: false })],
    ["timeout", new ProviderFailure("timeout", "did not answer")],
    ["rate-limited", new ProviderFailure("rate-limited", "too many")],
    ["rate-limited for a while", new ProviderFailure("rate-limited", "too many", { retryAfterSeconds: 1 })],
    ["broken for a while", new ProviderFailure("broken", "overloaded", { retryAfterSeconds: 1 })],
    ["refused", new ProviderFailure("refused", "refused our credential")],
    ["out of funds", new ProviderFailure("refused", "has no credit left for us", { outage: "funds" })],
    ["broken by its credential", new ProviderFailure("broken", "no such key", { outage: "credential" })],
  ])("is not called again after a failure that is likely to repeat: %s", async (_kind, failure) => {
    const run = stage({ a: failsAtFirst(1, failure) });
    await run.drain();
    expect(run.called).toEqual(["a"]);
  });

  it("is not called again if its breaker has opened by then", async () => {
    const run = stage({ a: failsAtFirst(1, broken()) });
    for (let call = 0; call < 4; call++) run.health.observe("a").failed(broken());
    expect(asFault((await run.drain()).error).details.attempts).toEqual([
      { model: "acme/a", reason: "it broke", ms: expect.any(Number) },
    ]);
    expect(run.called).toEqual(["a"]);
  });

  it("is not called again after the client disconnected", async () => {
    const gone = new Error("gone");
    const run = stage(
      { a: failsAtFirst(1, broken()) },
      {
        wait: async (_ms, signal) => {
          run.controller.abort(gone);
          signal.throwIfAborted();
        },
      },
    );
    expect((await run.drain()).error).toBe(gone);
    expect(run.called).toEqual(["a"]);
  });
});

describe("with a spent retry budget", () => {
  it("a failure is final, and the error says why", async () => {
    const run = stage({ a: says(broken("it is down")), b: says(hello) }, { mayRetry: () => false });
    const fault = asFault((await run.drain()).error);
    expect(run.called).toEqual(["a"]);
    expect(fault).toMatchObject({ type: "provider_error", status: 502 });
    expect(fault.message).toMatch(/budget for retries is spent/);
    expect(fault.details.attempts).toEqual([
      { model: "acme/a", reason: "it is down", ms: expect.any(Number) },
      { model: "acme/b", reason: "not called, as the account's budget for retries is spent", ms: 0 },
    ]);
  });

  it("the first call is made all the same, and skipping a candidate needs no retry", async () => {
    let asked = 0;
    const mayRetry = () => {
      asked++;
      return false;
    };
    const coverCost = async ({ model }: { model: { name: string } }) => model.name !== "a";
    const run = stage({ a: says(hello), b: says(hello, finish) }, { mayRetry, coverCost });
    expect((await run.drain()).received).toEqual([hello, finish]);
    expect(asked).toBe(0);
  });

  it("the slot of a candidate that is not called is free again", async () => {
    const run = stage({ a: says(broken()), b: says(hello) }, { mayRetry: () => false });
    for (let call = 0; call < 5; call++) run.health.observe("b").failed(broken());
    run.pass(5_000);
    await run.drain();
    expect(run.health.admit("b")).toBe(true);
  });
});

describe("over a thousand requests", () => {
  /** Sends them one after the other, 20 ms apart, and counts their outcomes. */
  async function sendThousand(failing: Readonly<Record<string, number>>, seed: string) {
    const random = createSeededRandom(seed);
    let nowMs = 0;
    const clock = { now: () => nowMs, monotonicMs: () => nowMs };
    const health = new EndpointHealth(clock, random);
    const budget = new RetryBudget(clock);
    let attempts = 0;
    const errors: number[] = [];
    let openedAt: number | undefined;
    for (let request = 0; request < 1_000; request++) {
      nowMs += 20;
      budget.noteRequest("account");
      const parts = callCandidates({
        candidates: ["a", "b", "c"].map(candidateCalled),
        inference,
        requestId: "request",
        accountId: "account",
        signal: new AbortController().signal,
        adapterFor: ({ name }) => ({
          call: (call) => inGroups((random() < (failing[name] ?? 0) ? says(broken()) : says(hello, finish))(call)),
        }),
        health,
        coverCost: async () => true,
        mayRetry: () => budget.take("account"),
        requote: (candidate) => candidate,
        countTokens: (text) => text.length,
        onAttempt: () => attempts++,
        onChosen: () => undefined,
        random,
        wait: async () => undefined,
      });
      try {
        for await (const _ of parts);
      } catch {
        errors.push(request);
      }
      if (health.of("a").state === "open") openedAt ??= request;
    }
    return { attempts, errors, openedAt };
  }

  it.each(["one", "two", "three"])(
    "a model that always fails costs at most a tenth more calls, and no client notices: %s",
    async (seed) => {
      const { attempts, errors, openedAt } = await sendThousand({ a: 1 }, seed);
      expect(openedAt).toBeLessThan(10);
      expect(attempts).toBeLessThanOrEqual(1_100);
      expect(errors).toEqual([]);
    },
  );

  it.each(["one", "two", "three"])("models that fail now and then never cost more: %s", async (seed) => {
    const { attempts, errors } = await sendThousand({ a: 0.4, b: 0.4, c: 0.4 }, seed);
    // The tenth, the budget of a new account, and what refilled by itself in the 20 s.
    expect(attempts).toBeLessThanOrEqual(1_100 + 25 + 4);
    expect(errors.length).toBeGreaterThan(0);
  });
});
