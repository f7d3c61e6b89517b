import { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import { conversationOf } from "@trunkline/core/conversation.ts";
import { newId, timeOfId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { FinishPart, Part } from "@trunkline/core/parts.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import { createSeededRandom } from "@trunkline/core/random.ts";
import { type Route, rankingOf } from "@trunkline/core/route.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import {
  sampleCaller,
  sampleCandidate,
  sampleInference,
  sampleModel,
  samplePolicy,
  sampleRanked,
} from "@trunkline/testing/samples.ts";
import { tallyOf } from "@trunkline/testing/tally-of.ts";
import { describe, expect, it } from "vitest";
import type { OutcomeRecord } from "./learning-store.ts";
import { LengthStats } from "./length-stats.ts";
import { OutcomeLearner, type ServedRequest } from "./outcome-learner.ts";
import { OutcomeStats } from "./outcome-stats.ts";

const PRIOR = 0.6;
const STOP: FinishPart = { type: "finish", reason: "stop" };

interface Trial {
  readonly model?: string;
  readonly input?: string;
  readonly parts?: readonly Part[];
  readonly inference?: Partial<Inference>;
  readonly isKeyed?: boolean;
  readonly owner?: string;
  readonly operator?: boolean;
  readonly outputTokens?: number;
  readonly accountId?: string;
  readonly attempts?: readonly Attempt[];
  readonly others?: readonly string[];
  readonly propensity?: number;
}

function openSchool({ isFrozen = false } = {}) {
  const clock = new ManualClock();
  const [evidence, lengths] = [new OutcomeStats(), new LengthStats()];
  const counted: OutcomeRecord[] = [];
  const errors: unknown[] = [];
  const outcomeLearner = new OutcomeLearner({
    evidence,
    lengths,
    clock,
    isFrozen: () => isFrozen,
    onOutcome: (outcome) => counted.push(outcome),
    onError: (error) => errors.push(error),
  });
  const answer = (trial: Trial = {}): string => {
    clock.advance(1_000);
    const inference = sampleInference({
      conversation: conversationOf(trial.input ?? `Question at ${clock.now()}`),
      ...trial.inference,
    });
    const served = servedRequest(clock, inference, trial);
    clock.advance(100);
    outcomeLearner.record(served);
    outcomeLearner.drain();
    return served.requestId;
  };
  const own = (model = "acme/one", domain = "law", accountId = "client-account") =>
    tallyOf(evidence, accountId, model, domain).own;
  return { clock, evidence, lengths, counted, errors, answer, own };
}

function servedRequest(clock: ManualClock, inference: Inference, trial: Trial): ServedRequest {
  const requestId = newId(clock.now());
  const model = sampleModel(trial.model ?? "acme/one", { accountId: trial.owner ?? "acme-account" });
  const chosen = sampleCandidate(model, { quality: 0.7, unlearnt: PRIOR });
  const route: Route = {
    ...samplePolicy("hybrid"),
    task: inference.task,
    promptFeatures: {
      domain: "law",
      family: "knowledge",
      confidence: 0.8,
      difficulty: 0.5,
      shares: [
        { domain: "law", share: 0.75 },
        { domain: "history", share: 0.25 },
      ],
    },
    ...rankingOf(
      sampleRanked(chosen),
      (trial.others ?? []).map((name) => sampleRanked({ ...chosen, model: sampleModel(name) })),
    ),
    excluded: () => [],
    propensity: trial.propensity,
  };
  return {
    requestId,
    receivedAt: new Date(timeOfId(requestId)),
    caller: sampleCaller({ accountId: trial.accountId ?? "client-account", operator: trial.operator ?? false }),
    inference,
    route,
    chosen,
    attempts: trial.attempts ?? [],
    wasRedacted: false,
    answer: CollectedAnswer.of(trial.parts ?? [{ type: "text", text: "An answer." }, STOP]),
    outputTokens: trial.outputTokens ?? 50,
    hasIdempotencyKey: trial.isKeyed ?? false,
  };
}

const refusal: Part[] = [{ type: "finish", reason: "refused" }];
const asked = (text: string): Trial => ({
  parts: [{ type: "text", text }, STOP],
  inference: {
    conversation: { ...conversationOf("As JSON."), answerForm: { type: "json" } },
  },
  isKeyed: true,
});

describe("an answer that is settled", () => {
  it("changes nothing by itself, because a missing complaint proves nothing", () => {
    const { answer, own, counted } = openSchool();
    for (let count = 0; count < 100; count++) answer();
    expect(own()).toMatchObject({ weight: 0, surplus: 0 });
    expect(counted).toEqual([]);
  });

  it("that was refused counts as 0 for the domains of its request by their shares", () => {
    const { answer, own, counted } = openSchool();
    const requestId = answer({ parts: refusal });
    expect(own()).toMatchObject({ weight: 0.75, surplus: -0.75 * PRIOR });
    expect(own("acme/one", "history")).toMatchObject({ weight: 0.25, surplus: -0.25 * PRIOR });
    expect(counted).toMatchObject([
      {
        requestId,
        source: "flaw",
        outcome: 0,
        weight: 1,
        propensity: 1,
        predictedQuality: 0.7,
        domain: "law",
      },
    ]);
  });

  it("moves no model where all are refused equally often", () => {
    const { answer, own } = openSchool();
    const random = createSeededRandom("refusals");
    for (let count = 0; count < 4_000; count++) {
      const isRefused = random() < 0.1;
      answer({ model: random() < 0.5 ? "acme/one" : "acme/two", ...(isRefused ? { parts: refusal } : {}) });
    }
    for (const model of ["acme/one", "acme/two"]) {
      const { weight, surplus } = own(model);
      expect(Math.abs(surplus / weight), model).toBeLessThan(0.1);
    }
  });

  it("of a random choice is recorded with its probability", () => {
    const { answer, counted } = openSchool();
    answer({ parts: refusal, propensity: 0.025 });
    expect(counted).toMatchObject([{ propensity: 0.025 }]);
  });

  it("is checked against the requested form", () => {
    const { answer, own, counted } = openSchool();
    answer(asked("[1]"));
    expect(own().surplus).toBeCloseTo(0.75 * (1 - PRIOR));
    answer(asked("Sure! [1]"));
    expect(own().surplus).toBeCloseTo(0.75 * (1 - PRIOR) - 0.75 * PRIOR, 2);
    expect(counted.map(({ source, outcome }) => [source, outcome])).toEqual([
      ["check", 1],
      ["check", 0],
    ]);
  });

  it("in a cascade counts against models that failed the check, and for the one that passed", () => {
    const { answer, own, counted } = openSchool();
    const failed = (model: string): Attempt => ({
      model,
      outcome: "failed-check",
      reason: "too short",
      ms: 5,
      firstPartMs: 1,
    });
    answer({
      inference: { cascade: { minLength: 5 } },
      attempts: [failed("acme/two"), failed("acme/three")],
      others: ["acme/two", "acme/three"],
    });
    expect(own("acme/one").surplus).toBeCloseTo(0.75 * (1 - PRIOR));
    expect(own("acme/two").surplus).toBeCloseTo(-0.75 * PRIOR);
    expect(own("acme/three").surplus).toBeCloseTo(-0.75 * PRIOR);
    expect(counted.map(({ model, source }) => [model, source])).toEqual([
      ["acme/two", "check"],
      ["acme/three", "check"],
      ["acme/one", "check"],
    ]);
  });

  it("counts for the usual length", () => {
    const { answer, lengths } = openSchool();
    for (let count = 0; count < 3; count++) answer();
    expect(lengths.forWork("chat", "law")("acme/one")).toBe(50);
  });

  it("does not count for lengths where the model's owner asked, except the operator", () => {
    const { answer, lengths } = openSchool();
    for (let count = 0; count < 300; count++) answer({ owner: "client-account", outputTokens: 1 });
    expect(lengths.takePending().changes).toEqual([]);
    for (let count = 0; count < 3; count++) answer({ owner: "client-account", operator: true });
    expect(lengths.forWork("chat", "law")("acme/one")).toBe(50);
  });

  it("of a busy account has no more influence on lengths than of a quiet one", () => {
    const { answer, lengths } = openSchool();
    for (let count = 0; count < 60; count++) answer({ accountId: `account-${count % 3}`, outputTokens: 300 });
    for (let count = 0; count < 2_000; count++) answer({ model: `acme/${count % 9}`, outputTokens: 9_000 });
    expect(lengths.forWork("chat", "law")("acme/other")).toBeLessThan(600);
  });

  it("changes nothing while learning is frozen", () => {
    const { answer, evidence, lengths, counted } = openSchool({ isFrozen: true });
    for (let count = 0; count < 3; count++) answer({ parts: refusal });
    expect(evidence.takePending().changes).toEqual([]);
    expect(lengths.takePending().changes).toEqual([]);
    expect(counted).toEqual([]);
  });

  it("by the account's own model is not shared with others", () => {
    const { answer, evidence } = openSchool();
    answer({ parts: refusal, owner: "client-account" });
    answer({ parts: refusal, model: "acme/two" });
    const lends = evidence.takePending().changes.map(({ model, lends: isLent }) => [model, isLent]);
    expect(lends).toEqual(
      expect.arrayContaining([
        ["acme/one", false],
        ["acme/two", true],
      ]),
    );
  });
});

describe("a question that is asked again", () => {
  it("counts against the first answer", () => {
    const { answer, own, counted } = openSchool();
    const first = answer({ input: "Same.", model: "acme/one" });
    answer({ input: "Same.", model: "acme/two", inference: { streaming: true } });
    expect(own("acme/one").weight).toBeCloseTo(0.75 * 0.5);
    expect(own("acme/one").surplus).toBeCloseTo(0.75 * 0.5 * (0.25 - PRIOR));
    expect(own("acme/two").surplus).toBeGreaterThanOrEqual(0);
    expect(counted).toMatchObject([
      { requestId: first, source: "regeneration", outcome: 0.25, weight: 0.5, model: "acme/one" },
    ]);
  });

  it("counts against no answer after ten minutes, with an idempotency key, by another account, or before there was an answer", () => {
    const { answer, own, clock } = openSchool();
    answer({ input: "Late." });
    clock.advance(11 * 60_000);
    answer({ input: "Late." });
    answer({ input: "Keyed.", isKeyed: true });
    answer({ input: "Keyed.", isKeyed: true });
    answer({ input: "Another's." });
    answer({ input: "Another's.", accountId: "other-account" });
    answer({ input: "Other words." });
    const batch = { batch: { id: "b", line: 1 } };
    answer({ input: "In a batch.", inference: batch });
    answer({ input: "In a batch.", inference: batch });
    expect(own()).toMatchObject({ weight: 0, surplus: 0 });
  });

  it("at the account's usual rate moves no model on average", () => {
    const { answer, own } = openSchool();
    const random = createSeededRandom("regenerations");
    for (let count = 0; count < 3_000; count++) {
      const [input, model] = [`Question ${count}`, random() < 0.5 ? "acme/one" : "acme/two"];
      answer({ input, model });
      if (random() < 0.15) answer({ input, model: random() < 0.5 ? "acme/one" : "acme/two" });
    }
    for (const model of ["acme/one", "acme/two"]) {
      const { weight, surplus } = own(model);
      expect(weight).toBeGreaterThan(10);
      expect(Math.abs(surplus / weight), model).toBeLessThan(0.06);
    }
  });

  it("more often for one model moves it down and the other up", () => {
    const { answer, own } = openSchool();
    const random = createSeededRandom("worse");
    for (let count = 0; count < 2_000; count++) {
      const [input, model] = [`Question ${count}`, random() < 0.5 ? "acme/one" : "acme/two"];
      answer({ input, model });
      if (random() < (model === "acme/one" ? 0.3 : 0.05)) answer({ input, model: "acme/two" });
    }
    expect(own("acme/one").surplus).toBeLessThan(-5);
    expect(own("acme/two").surplus).toBeGreaterThan(5);
  });

  it("by a client that always repeats counts for nothing", () => {
    const { answer, own } = openSchool();
    for (let count = 0; count < 2_000; count++) answer({ input: "ping" });
    expect(Math.abs(own().surplus)).toBeLessThan(2);
  });
});
