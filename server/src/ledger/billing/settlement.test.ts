import { conversationOf } from "@trunkline/core/conversation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { type Candidate, type Route, rankingOf } from "@trunkline/core/route.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import {
  PLAIN_READING,
  sampleCaller,
  sampleCandidate,
  sampleInference,
  sampleModel,
  samplePolicy,
  sampleQuote,
  sampleRanked,
} from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { NO_TOTAL_CHARGE } from "./answer-segments.ts";
import { type BillingOutcome, settlementOf, unchargedSettlement } from "./settlement.ts";

const RECEIVED_AT = Date.UTC(2026, 0, 15, 11, 59);
const REQUEST_ID = newId(RECEIVED_AT);
const ANSWERED: BillingOutcome = {
  fault: undefined,
  hungUp: false,
  charge: {
    inputTokens: 3,
    outputTokens: 5,
    images: 2,
    cachedInputTokens: 1,
    cacheWriteTokens: 2,
    reasoningTokens: 0,
    audioMs: 1_500,
    audioSource: "measured",
    segments: [],
    source: "provider",
    cost: 40n,
  },
  held: 100n,
  budget: undefined,
  output: "An answer.",
  idempotent: undefined,
};

function candidate(name: string): Candidate {
  const model = sampleModel(name, { credential: new Secret("sk-never-shown") });
  return sampleCandidate(model, {
    quote: sampleQuote(1_500_000_000n),
    latencyMs: 123.456_789,
    errorRate: 0.25,
  });
}

function traceWith(candidates: number) {
  const clock = new ManualClock();
  const requestTrace = new RequestTrace(REQUEST_ID, "/v1/generate", clock);
  const chosen = candidate("acme/m0");
  const rest = Array.from({ length: candidates - 1 }, (_, index) => candidate(`acme/m${index + 1}`));
  const inference = sampleInference({ conversation: conversationOf("A secret prompt.") });
  const leftOut = Array.from({ length: 30 }, (_, index) => ({
    model: `acme/out${index}`,
    reason: "too dear",
  }));
  const route: Route = {
    ...samplePolicy("hybrid"),
    task: inference.task,
    promptFeatures: PLAIN_READING,
    ...rankingOf(
      sampleRanked(chosen, ["cheap"]),
      rest.map((one) => sampleRanked(one, ["cheap"])),
    ),
    excluded: () => leftOut,
  };
  Object.assign(requestTrace, { inference, route, chosen });
  clock.advance(20);
  requestTrace.endStage("provider");
  return requestTrace;
}

/** What of a record is stored. */
function stored(detail: unknown): unknown {
  return JSON.parse(JSON.stringify(detail));
}

describe("the record of a request", () => {
  it("names the caller, the model and the cost", () => {
    const requestTrace = traceWith(1);
    expect(settlementOf(requestTrace, sampleCaller(), ANSWERED)).toMatchObject({
      requestId: REQUEST_ID,
      accountId: "client-account",
      keyId: "key",
      path: "/v1/generate",
      task: "chat",
      model: "m0",
      provider: "acme",
      status: 200,
      errorType: undefined,
      priceVersion: "1",
      held: 100n,
      cost: 40n,
      images: 2,
      cachedInputTokens: 1,
      cacheWriteTokens: 2,
      audioMs: 1_500,
      usageSource: "provider",
      latencyMs: 20,
      // The time at which the id was created.
      createdAt: new Date(RECEIVED_AT),
      detail: { audio_source: "measured" },
    });
  });

  it.each([
    ["answered", {}, 200],
    ["ended by a fault", { fault: new Fault("provider_timeout", "Too slow.") }, 504],
    ["left by its client after some output", { hungUp: true }, 200],
    ["left by its client before any output", { hungUp: true, output: "", charge: NO_TOTAL_CHARGE }, 499],
  ])("has the status of a request that was %s", (_how, change, status) => {
    expect(settlementOf(traceWith(1), sampleCaller(), { ...ANSWERED, ...change }).status).toBe(status);
  });

  it("contains neither prompt nor output unless the account chose so", () => {
    const detail = JSON.stringify(settlementOf(traceWith(1), sampleCaller(), ANSWERED).detail);
    expect(detail).not.toContain("A secret prompt.");
    expect(detail).not.toContain("An answer.");
    const requestTrace = traceWith(1);
    requestTrace.inputVerdict = {
      flagged: false,
      action: "allow",
      categories: {},
      spans: [],
      normalised: [],
    };
    const wanted = settlementOf(requestTrace, sampleCaller({ keepsContent: true }), ANSWERED).detail;
    expect(wanted).toMatchObject({ content: { input: "A secret prompt.", output: "An answer." } });
  });

  it("contains no content of a request that was refused before its private values were redacted", () => {
    const caller = sampleCaller({ keepsContent: true });
    const { detail } = unchargedSettlement(traceWith(1), caller, new Fault("insufficient_balance", "Too dear."));
    expect(detail.content).toBeUndefined();
  });

  it("never contains a provider's credential", () => {
    expect(JSON.stringify(settlementOf(traceWith(3), sampleCaller(), ANSWERED).detail)).not.toContain("sk-never-shown");
  });

  it("explains the choice by at most twelve candidates and twelve excluded models, in credits and milliseconds", () => {
    const { detail } = settlementOf(traceWith(25), sampleCaller(), ANSWERED);
    const { routing } = stored(detail) as { routing: { candidates: unknown[]; left_out: unknown[] } };
    expect(routing.candidates).toHaveLength(8);
    expect(routing.left_out).toHaveLength(12);
    expect(routing.candidates[0]).toEqual({
      model: "acme/m0",
      place: 1,
      predicted_quality: 0.8,
      lower_quality: 0.4,
      expected_latency_ms: 123.457,
      first_token_ms: 20,
      tokens_per_second: 3_200,
      expected_output_tokens: 256,
      score: 1e-9,
      estimated_cost: 1.5,
      worst_case_cost: 3,
      price_version: "1",
      error_rate: 0.25,
      reasons: ["cheap"],
    });
  });

  it("lists the cheapest, the fastest and the best of many, at any rank, and the one that answered", () => {
    const requestTrace = traceWith(30);
    const ranking = requestTrace.route?.ranking.map(({ candidate }, index) =>
      sampleRanked({
        ...candidate,
        quote: sampleQuote(index === 20 ? 1n : 1_000n),
        latencyMs: index === 22 ? 1 : 100,
        quality: index === 24 ? 0.99 : 0.5,
      }),
    );
    Object.assign(requestTrace, { route: { ...requestTrace.route, ranking }, chosen: ranking?.[28]?.candidate });
    const { detail } = settlementOf(requestTrace, sampleCaller(), ANSWERED);
    const { routing } = stored(detail) as { routing: { candidates: { model: string }[] } };
    expect(routing.candidates.map(({ model }) => model)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 20, 22, 24, 28].map((index) => `acme/m${index}`),
    );
  });

  it("lists the one that answered also when it was quoted again to continue an answer", () => {
    const requestTrace = traceWith(30);
    const last = requestTrace.route?.ranking.at(-1)?.candidate;
    requestTrace.chosen = last && { ...last, quote: sampleQuote(7n) };
    const { detail } = settlementOf(requestTrace, sampleCaller(), ANSWERED);
    const { routing } = stored(detail) as { routing: { candidates: { model: string; place: number }[] } };
    expect(routing.candidates.at(-1)).toMatchObject({ model: "acme/m29", place: 30 });
  });

  it("says who chose, and what was weighed where something was", () => {
    const { detail } = settlementOf(traceWith(1), sampleCaller(), ANSWERED);
    expect(stored(detail)).toMatchObject({
      routing: { strategy: "hybrid", chosen_by: "account", weights: { cost: 0.4, speed: 0.2, quality: 0.4 } },
    });
  });

  it("lists the attempts, the verdicts' scores above zero, and the timings", () => {
    const requestTrace = traceWith(1);
    requestTrace.attempts = [
      { model: "acme/a", outcome: "failed", reason: "down", ms: 1.234_567, firstPartMs: undefined },
      { model: "acme/b", outcome: "answered", reason: "ok", ms: 9, firstPartMs: 2 },
    ];
    requestTrace.inputVerdict = {
      flagged: true,
      action: "report",
      categories: { hate: 0.5, pii: 0 },
      spans: [],
      normalised: [],
    };
    const { detail } = settlementOf(requestTrace, sampleCaller(), { ...ANSWERED, hungUp: true });
    expect(stored(detail)).toMatchObject({
      attempts: [
        { model: "acme/a", outcome: "failed", reason: "down", ms: 1.235 },
        { model: "acme/b", outcome: "answered", reason: "ok", ms: 9, first_part_ms: 2 },
      ],
      safety: { input: { action: "report", categories: { hate: 0.5 } }, output: null },
      timings: { provider: 20 },
      client_hung_up: true,
    });
  });

  it("of a refusal before any hold costs nothing", () => {
    const requestTrace = new RequestTrace(REQUEST_ID, "/v1/generate", new ManualClock());
    expect(unchargedSettlement(requestTrace, sampleCaller(), new Fault("unsafe_input", "Not this."))).toMatchObject({
      task: "",
      model: undefined,
      status: 403,
      errorType: "unsafe_input",
      held: 0n,
      cost: 0n,
      budget: undefined,
      images: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      audioMs: 0,
      usageSource: "none",
      detail: { error: "Not this.", attempts: [] },
    });
  });
});
