import { sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { claimedQualityOfModel } from "./predict-quality.ts";

describe("predictQuality", () => {
  it("orders equal claims by how well the work fits", () => {
    const model = sampleModel("a/x", { accuracyScore: 0.8 });
    const [listed, related, unsaid, other] = (["listed", "related", "unsaid", "other"] as const).map((fit) =>
      claimedQualityOfModel(model, fit),
    );
    expect(listed).toBeGreaterThan(related ?? 1);
    expect(related).toBeGreaterThan(unsaid ?? 1);
    expect(unsaid).toBe(0.8);
    expect(other).toBeLessThan(0.8);
  });

  it("stays between 0 and 1", () => {
    for (const accuracyScore of [0, 1, undefined]) {
      for (const fit of ["listed", "related", "unsaid", "other"] as const) {
        const quality = claimedQualityOfModel(sampleModel("a/x", { accuracyScore }), fit);
        expect(quality).toBeGreaterThanOrEqual(0);
        expect(quality).toBeLessThanOrEqual(1);
      }
    }
  });

  it("never lifts a model without a claim over one that is claimed to be good", () => {
    const unclaimed = claimedQualityOfModel(sampleModel("a/x", { accuracyScore: undefined }), "listed");
    const good = claimedQualityOfModel(sampleModel("a/y", { accuracyScore: 0.8 }), "other");
    expect(good).toBeGreaterThan(unclaimed);
  });
});
