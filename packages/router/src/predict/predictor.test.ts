import { normaliseTask } from "@trunkline/core/inference.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { claimedQualityOfModel, fitTask } from "./predictor.ts";

describe("predictor", () => {
  const listing = (...capabilities: string[]) => sampleModel("acme/model", { capabilities });

  describe("fitTask", () => {
    it("accepts another spelling of the same work", () => {
      expect(fitTask(listing("coding"), normaliseTask("code"))).toBe("listed");
      expect(fitTask(listing("Text_Generation"), normaliseTask("completion"))).toBe("listed");
    });

    it("reads specialties like capabilities", () => {
      const model = sampleModel("acme/model", { specialties: ["legal advice"] });
      expect(fitTask(model, normaliseTask("legal_advice"))).toBe("listed");
    });

    it("distinguishes kinds of analysis", () => {
      expect(fitTask(listing("translation"), normaliseTask("translation"))).toBe("listed");
      expect(fitTask(listing("translation"), normaliseTask("classification"))).toBe("related");
    });

    it("takes chat and text as related", () => {
      expect(fitTask(listing("completion"), normaliseTask("chat"))).toBe("related");
      expect(fitTask(listing("chat"), normaliseTask("text"))).toBe("related");
    });

    it("distinguishes a model that lists other work from one that lists none", () => {
      expect(fitTask(listing("chat"), normaliseTask("code"))).toBe("other");
      expect(fitTask(listing("friendly"), normaliseTask("code"))).toBe("unsaid");
      expect(fitTask(listing(), normaliseTask("code"))).toBe("unsaid");
    });
  });
});

describe("claims", () => {
  describe("claimedQualityOfModel", () => {
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

    it("never ranks a model without a claim above one with a good claim", () => {
      const unclaimed = claimedQualityOfModel(sampleModel("a/x", { accuracyScore: undefined }), "listed");
      const good = claimedQualityOfModel(sampleModel("a/y", { accuracyScore: 0.8 }), "other");
      expect(good).toBeGreaterThan(unclaimed);
    });
  });
});
