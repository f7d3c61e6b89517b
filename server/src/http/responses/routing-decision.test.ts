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

const show = (kept: object) => {
  const shown = toRoutingResponse(
    storedRoutingSchema.parse(kept),
    [{ model: "acme/one", outcome: "answered" }],
    "acme/one",
  );
  return routingResponseSchema.parse(shown);
};

describe("the choice in a request's record", () => {
  it("is shown of records from before it was explained, without anything that nobody kept", () => {
    const shown = show(OLD);
    expect(shown).toEqual({
      ...OLD,
      candidates: [{ ...OLD.candidates[0], place: 1, chosen: true, outcome: "answered" }],
      candidates_total: 1,
      left_out_total: 0,
    });
  });

  it("is shown with what was as usual and therefore not kept, and with who came next", () => {
    const shown = show({
      ...OLD,
      quality_floor: 0.3,
      reading: { domain: "law", family: "prose", confidence: 0.7, difficulty: 0.4, shares: [["law", 0.7]] },
      candidates: [
        candidate("acme/one", 0.001, { tokens_per_second: 80, evidence: 12 }),
        candidate("acme/two", 0.0004, { below_floor: true, state: "half-open", in_flight: 4 }),
      ],
    });
    expect(shown).toMatchObject({
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

  it("is shown where a model was coming back", () => {
    const candidates = [candidate("acme/one", 0.001, { state: "ramping" })];
    const shown = show({ ...OLD, quality_floor: 0.3, candidates });
    expect(shown.candidates).toMatchObject([{ state: "ramping" }]);
  });

  it("tells of a draw and of a session", () => {
    const drawn = { propensity: 0.05, instead_of: "acme/two" };
    const kept = { ...OLD, quality_floor: 0.3, explored: drawn, sticky_to: "acme/one" };
    expect(show(kept)).toMatchObject({ explored: drawn, sticky_to: "acme/one" });
  });
});
