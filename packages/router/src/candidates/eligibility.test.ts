import { idFromName } from "@trunkline/core/id.ts";
import type { Model } from "@trunkline/core/model.ts";
import { sampleCaller, sampleInference, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { isInTrafficShare, trafficKeyOf } from "./eligibility.ts";

const REQUESTS = 5_000;
const requestIds = Array.from({ length: REQUESTS }, (_, index) => idFromName(`request ${index}`));
const shareOf = (holds: (requestId: string) => boolean) => requestIds.filter(holds).length / REQUESTS;
const plainly = (model: Model) => (requestId: string) =>
  isInTrafficShare(model, trafficKeyOf(sampleInference(), sampleCaller(), requestId));

describe("isInTrafficShare", () => {
  it.each([
    ["active", undefined, 1],
    ["probation", undefined, 0.05],
    ["probation", 0.5, 0.5],
    ["active", 0.2, 0.2],
    ["active", 0, 0],
    ["probation", 1, 1],
  ] as const)("lets a model that is %s with the share %s into %d of the requests", (state, canaryShare, share) => {
    const model = sampleModel("acme/new", { state, canaryShare });
    const seen = shareOf(plainly(model));
    if (share === 0 || share === 1) expect(seen).toBe(share);
    else expect(Math.abs(seen - share)).toBeLessThan(0.02);
  });

  it("decides for each model independently", () => {
    const [one, other] = [
      sampleModel("acme/one", { canaryShare: 0.3 }),
      sampleModel("acme/other", { canaryShare: 0.3 }),
    ];
    const both = shareOf((requestId) => plainly(one)(requestId) && plainly(other)(requestId));
    expect(Math.abs(both - 0.09)).toBeLessThan(0.02);
  });

  it("decides the same for all requests of a session, and for each request without one separately", () => {
    const model = sampleModel("acme/new", { canaryShare: 0.5 });
    const caller = sampleCaller();
    const inSession = (session: string) => (requestId: string) =>
      isInTrafficShare(model, trafficKeyOf(sampleInference({ session }), caller, requestId));
    const shares = Array.from({ length: 8 }, (_, index) => shareOf(inSession(`session ${index}`)));
    expect(new Set(shares)).toEqual(new Set([0, 1]));
    expect(Math.abs(shareOf(plainly(model)) - 0.5)).toBeLessThan(0.02);
  });

  it("separates sessions of the same name in two accounts", () => {
    const inference = sampleInference({ session: "main" });
    const of = (accountId: string) => trafficKeyOf(inference, sampleCaller({ accountId }), "request");
    expect(of("one")).not.toBe(of("other"));
  });
});
