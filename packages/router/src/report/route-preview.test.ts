import type { Strategy } from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";
import {
  PLAIN_READING,
  sampleHealth,
  sampleModel,
  samplePolicy,
  sampleQuote,
  sampleSearch,
} from "@trunkline/testing/samples.ts";
import { expect, it } from "vitest";
import { findCandidates } from "../candidates/find-candidates.ts";
import { chooseRoute } from "../rank/choose-route.ts";
import { previewRoute } from "./route-preview.ts";

const MODELS = [
  sampleModel("acme/one", { capabilities: ["chat"], accuracyScore: 0.7, avgLatencyMs: 812.4 }),
  sampleModel("acme/two", { accuracyScore: 0.2, avgLatencyMs: 3_000 }),
  sampleModel("acme/painter", { type: "image" }),
];

function explain(strategy: Strategy, more: Partial<Route> = {}) {
  const quoteOf = ({ id }: { id: string }) => sampleQuote(id === "acme/two" ? 400_000n : 1_000_000n);
  const healthOf = ({ id }: { id: string }) =>
    id === "acme/two" ? sampleHealth({ calls: 8, errorRate: 0.2, inFlight: 3 }) : sampleHealth();
  const funds = { balance: 1_000_000_000n, budget: undefined };
  const search = sampleSearch(MODELS, { quoteOf, healthOf });
  const route = chooseRoute(findCandidates(search), funds, samplePolicy(strategy));
  return JSON.parse(JSON.stringify(previewRoute({ ...route, ...more })));
}

it("shows a route as plain JSON: amounts in credits, full model names, and reasons", () => {
  expect(explain("cost-optimized")).toEqual({
    strategy: "cost-optimized",
    task: "chat",
    quality_floor: 0.6,
    reading: PLAIN_READING,
    measure: "credits",
    candidates: [
      {
        model: "acme/one",
        predicted_quality: 0.76,
        lower_quality: 0.61,
        evidence: 0,
        clears_floor: true,
        expected_latency_ms: 812,
        queue_ms: 0,
        first_token_ms: 162,
        tokens_per_second: 393.9,
        expected_output_tokens: 256,
        estimated_cost: 0.001,
        worst_case_cost: 0.002,
        state: "closed",
        error_rate: 0,
        in_flight: 0,
        score: 0.001,
        reasons: [
          "fits the task and every bound of the request",
          "estimated at 0.001 credits",
          "lists this kind of work",
        ],
      },
      expect.objectContaining({
        model: "acme/two",
        predicted_quality: 0.2,
        lower_quality: 0.05,
        clears_floor: false,
        estimated_cost: 0.0004,
        error_rate: 0.2,
        in_flight: 3,
        queue_ms: 36,
        // One call in five fails: an answer takes a quarter more of them.
        score: 0.0005,
      }),
    ],
    runner_up: "acme/two",
    // The floor decided, not the cost.
    margin: -0.0005,
    why: expect.stringMatching(
      /^acme\/one before acme\/two: cost 0\.001 against 0\.0004 credits, and the quality 0\.20 of the second is below the floor of 0\.60\.$/,
    ),
    explored: false,
    sticky_to: null,
    left_out: [{ model: "acme/painter", reason: "its type image does not fit the task" }],
  });
});

it("gives the margin in the strategy's measure", () => {
  expect(explain("quality-optimized")).toMatchObject({
    measure: "quality",
    runner_up: "acme/two",
    margin: 0.6,
  });
  const { measure, margin, candidates } = explain("speed-optimized");
  expect(measure).toBe("ms");
  expect(margin).toBeCloseTo(candidates[1].score - candidates[0].score);
  expect(margin).toBeGreaterThan(2_000);
});

it("shows an exploration and a session", () => {
  const explored = { propensity: 0.05, insteadOf: "acme/two" };
  expect(explain("hybrid", { explored, stickyTo: "acme/one" })).toMatchObject({
    explored: { propensity: 0.05, instead_of: "acme/two" },
    sticky_to: "acme/one",
  });
});
