import { expect, it } from "vitest";
import { sampleModel, samplePolicy, sampleSearch } from "../../test/samples.ts";
import { chooseRoute } from "./choose-route.ts";
import { explainRoute } from "./explain.ts";
import { findCandidates } from "./find-candidates.ts";

it("shows a route as plain JSON: amounts in credits, models by their full names, reasons in words", () => {
  const models = [
    sampleModel("acme/one", { capabilities: ["chat"], accuracyScore: 0.7, avgLatencyMs: 812.4 }),
    sampleModel("acme/painter", { type: "image" }),
  ];
  const funds = { balance: 1_000_000_000n, budget: undefined };
  const route = chooseRoute(findCandidates(sampleSearch(models)), funds, samplePolicy("cost-optimized"));

  expect(JSON.parse(JSON.stringify(explainRoute(route)))).toEqual({
    strategy: "cost-optimized",
    task: "chat",
    candidates: [
      {
        model: "acme/one",
        predicted_quality: 0.76,
        expected_latency_ms: 812,
        estimated_cost: 0.001,
        worst_case_cost: 0.002,
        reasons: [
          "fits the task and every bound of the request",
          "estimated at 0.001 credits",
          "lists this kind of work",
        ],
      },
    ],
    left_out: [{ model: "acme/painter", reason: "its type image does not fit the task" }],
  });
});
