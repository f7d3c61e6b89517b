import { sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { normaliseTask } from "./inference.ts";
import { traitsOf, traitsOfAll } from "./model-traits.ts";

const listing = (...capabilities: string[]) => traitsOf(sampleModel("a/x", { capabilities }));

describe("traitsOf", () => {
  it("computes the traits of a model once", () => {
    const model = sampleModel("acme/x");
    expect(traitsOf(model)).toBe(traitsOf(model));
    expect(traitsOf(model).fullName).toBe("acme/x");
    expect(traitsOf({ ...model, name: "y" }).fullName).toBe("acme/y");
  });

  it("never matches a word that has no letters with a capability that has none", () => {
    expect(listing("--").listsWord(normaliseTask("__").word)).toBe(false);
  });

  it("gives each task its own fit, whatever was asked before", () => {
    const traits = listing("coding", "poetry");
    for (const [word, fit] of [
      ["code", "listed"],
      ["chat", "other"],
      ["poetry", "listed"],
      ["text", "other"],
      ["code", "listed"],
    ] as const) {
      expect(traits.fitFor(normaliseTask(word))).toBe(fit);
    }
  });

  it("has no terms without a price, and discounted ones for batches", () => {
    const model = sampleModel("a/x", { batchDiscount: 5_000 });
    expect(traitsOf({ ...model, price: undefined }).terms).toBeUndefined();
    const priced = traitsOf({ ...model, price: { ...model.price, inputPerMillion: 9n } });
    expect(priced.terms).toMatchObject({ discount: undefined, price: { inputPerMillion: 9n } });
    expect(priced.batchTerms).toMatchObject({ discount: 5_000, price: { inputPerMillion: 5n } });
  });
});

describe("traitsOfAll", () => {
  it("follows a list that grows, and looks up an unchanged one once", () => {
    const models = [sampleModel("a/x")];
    const first = traitsOfAll(models);
    expect(traitsOfAll(models)).toBe(first);
    models.push(sampleModel("a/y"));
    expect(traitsOfAll(models).map(({ fullName }) => fullName)).toEqual(["a/x", "a/y"]);
  });
});
