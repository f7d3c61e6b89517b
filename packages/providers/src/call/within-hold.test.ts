import type { Model } from "@trunkline/core/model.ts";
import { sampleQuote } from "@trunkline/testing/samples.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { expect, it } from "vitest";
import { capMaxTokens } from "./within-hold.ts";

const FOUND: Partial<Model> = { discovered: true, maxOutputTokens: undefined };
const limitOf = (model: Partial<Model>, maxTokens?: number) =>
  capMaxTokens(
    makeInference({ parameters: { ...NO_PARAMETERS, maxTokens } }),
    makeModel({ ...FOUND, ...model }),
    sampleQuote(1n),
  ).parameters.maxTokens;

it("a known provider is asked for no more than was set aside", () => {
  expect(limitOf({})).toBe(sampleQuote(1n).maxOutputTokens);
});

it.each<[string, Partial<Model>, number | undefined]>([
  ["the client sets one", {}, 7],
  ["the model has one", { maxOutputTokens: 50 }, undefined],
  ["it was registered by somebody", { discovered: false }, undefined],
  ["the account pays the provider itself", { ownKey: true }, undefined],
  ["it makes no words", { type: "image" }, undefined],
])("no limit is put in where %s", (_, model, maxTokens) => {
  expect(limitOf(model, maxTokens)).toBe(maxTokens);
});
