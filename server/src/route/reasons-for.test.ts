import { expect, it } from "vitest";
import {
  sampleHealth,
  sampleInference,
  sampleModel,
  samplePolicy,
  sampleQuote,
  sampleSearch,
} from "../../test/samples.ts";
import { chooseRoute } from "./choose-route.ts";
import { findCandidates } from "./find-candidates.ts";

it("puts why a model stands where it stands into words", () => {
  const search = sampleSearch([sampleModel("acme/a")], {
    inference: sampleInference({ model: "a" }),
    healthOf: () => sampleHealth({ calls: 9, errorRate: 0.5 }),
    quoteOf: () => sampleQuote(5n),
  });
  const funds = { balance: 100n, budget: undefined };
  const [candidate] = chooseRoute(findCandidates(search), funds, samplePolicy("cost-optimized")).candidates;
  expect(candidate.reasons).toEqual([
    "named by the request",
    "estimated at 0.000000005 credits",
    expect.stringContaining("50 %"),
  ]);
});
