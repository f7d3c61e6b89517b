import { describe, expect, it } from "vitest";
import { routingResponseSchema, storedRoutingSchema, toRoutingResponse } from "./routing-decision.ts";

const OLD = {
  strategy: "cost-optimized",
  task: "chat",
  candidates: [
    {
      model: "acme/one",
      predicted_quality: 0.8,
      expected_latency_ms: 900,
      estimated_cost: 0.001,
      worst_case_cost: 0.002,
      reasons: ["cheap"],
    },
  ],
  left_out: [],
};

const candidate = (model: string, score: number, more: object = {}) => ({
  ...OLD.candidates[0],
  model,
  lower_quality: 0.6,
  first_token_ms: 200,
  expected_output_tokens: 256,
  score,
  ...more,
});

const toResponse = (stored: object) =>
  routingResponseSchema.parse(
    toRoutingResponse(storedRoutingSchema.parse(stored), [{ model: "acme/one", outcome: "answered" }], "acme/one"),
  );

describe("toRoutingResponse", () => {
  it("shows records of earlier versions without the fields that they lack", () => {
    expect(toResponse(OLD)).toEqual({
      ...OLD,
      candidates: [{ ...OLD.candidates[0], place: 1, chosen: true, outcome: "answered" }],
      candidates_total: 1,
      left_out_total: 0,
    });
  });

  it("adds default values that records leave out, and the runner-up", () => {
    const response = toResponse({
      ...OLD,
      quality_floor: 0.3,
      reading: { domain: "law", family: "prose", confidence: 0.7, difficulty: 0.4, shares: [["law", 0.7]] },
      candidates: [
        candidate("acme/one", 0.001, { tokens_per_second: 80, evidence: 12 }),
        candidate("acme/two", 0.0004, { below_floor: true, state: "half-open", in_flight: 4 }),
      ],
    });
    expect(response).toMatchObject({
      reading: { domain: "law", shares: [{ domain: "law", share: 0.7 }] },
      measure: "credits",
      runner_up: "acme/two",
      margin: -0.0006,
      candidates: [
        { clears_floor: true, evidence: 12, tokens_per_second: 80, state: "closed", in_flight: 0 },
        { clears_floor: false, evidence: 0, tokens_per_second: null, state: "half-open", in_flight: 4 },
      ],
    });
  });

  it("shows a ramping breaker", () => {
    const candidates = [candidate("acme/one", 0.001, { state: "ramping" })];
    const response = toResponse({ ...OLD, quality_floor: 0.3, candidates });
    expect(response.candidates).toMatchObject([{ state: "ramping" }]);
  });

  it("shows an exploration and a session's model", () => {
    const explored = { propensity: 0.05, instead_of: "acme/two" };
    const stored = { ...OLD, quality_floor: 0.3, explored, sticky_to: "acme/one" };
    expect(toResponse(stored)).toMatchObject({ explored, sticky_to: "acme/one" });
  });
});
