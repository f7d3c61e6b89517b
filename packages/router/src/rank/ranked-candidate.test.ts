import {
  sampleHealth,
  sampleInference,
  sampleModel,
  samplePolicy,
  sampleQuote,
  sampleSearch,
} from "@trunkline/testing/samples.ts";
import { expect, it } from "vitest";
import { findCandidates } from "../candidates/find-candidates.ts";
import { chooseRoute } from "./choose-route.ts";
import { apart } from "./ranked-candidate.ts";

it("gives the reasons of a candidate's place", () => {
  const search = sampleSearch([sampleModel("acme/a")], {
    inference: sampleInference({ model: "a" }),
    healthOf: () => sampleHealth({ calls: 9, errorRate: 0.5 }),
    quoteOf: () => sampleQuote(5n),
  });
  const funds = { balance: 100n, budget: undefined };
  const [first] = chooseRoute(findCandidates(search), funds, samplePolicy("cost-optimized")).ranking;
  expect(first.reasons).toEqual([
    "named by the request",
    "estimated at 0.000000005 credits",
    expect.stringContaining("50 %"),
  ]);
});

it("rounds no quality up to certainty", () => {
  expect(apart(0.996, 0.98)).toEqual(["0.99", "0.98"]);
  expect(apart(0.9997, 0.9965)).toEqual(["0.999", "0.997"]);
  expect(apart(0.99996, 0.99996)).toEqual(["0.99", "0.99"]);
  expect(apart(1, 0.5)).toEqual(["1.00", "0.50"]);
});
