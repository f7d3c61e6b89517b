import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Model } from "@trunkline/core/model.ts";
import {
  faultOf,
  find,
  namesOf,
  sampleCaller,
  sampleHealth,
  sampleInference,
  sampleModel,
} from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";

const parameters = sampleInference().parameters;
const picture = conversationOf("What is this?", [
  { type: "attachment", kind: "image", url: "https://example.test/a.png" },
]);

describe("a request that names a model", () => {
  it("gets every provider of the name, then the fallbacks in order, then the backups, and nothing else", () => {
    const models = [
      sampleModel("a/other"),
      sampleModel("a/spare", { backups: ["other"] }),
      sampleModel("a/second"),
      sampleModel("a/first"),
      sampleModel("a/x", { backups: ["spare", "gone", "first"] }),
      sampleModel("b/x"),
    ];
    const candidatePool = find(models, { model: "x", fallbacks: ["first", "a/second", "x"] });
    expect(namesOf(candidatePool)).toEqual([["a/x", "b/x"], ["a/first"], ["a/second"], ["a/spare"]]);
  });

  it("gets one provider alone where it says which", () => {
    expect(namesOf(find([sampleModel("a/x"), sampleModel("b/x")], { model: "b/x" }))).toEqual([["b/x"]]);
  });

  it("gets the backups of a model that is down or taken out", () => {
    const models = [sampleModel("a/x", { state: "suspended", backups: ["y"] }), sampleModel("a/y")];
    const candidatePool = find(models, { model: "x" });
    expect(namesOf(candidatePool)).toEqual([["a/y"]]);
    expect(candidatePool.tiers[0]?.[0]?.tier).toBe("backup");
  });

  it("learns of an unknown name and of what it may have meant", () => {
    const models = [sampleModel("a/llama-70b"), sampleModel("a/llama-secret", { state: "pending" })];
    const fault = faultOf(() => find(models, { model: "llama-70" }));
    expect(fault).toMatchObject({ type: "model_not_found", status: 404, details: { param: "model" } });
    expect(fault.message).toContain('"llama-70b"');
    expect(fault.message).not.toContain("secret");
    expect(faultOf(() => find(models, { model: "a/llama-70" })).message).toContain('"a/llama-70b"');
  });

  it("learns of an unknown fallback too", () => {
    const fault = faultOf(() => find([sampleModel("a/x")], { model: "x", fallbacks: ["nope"] }));
    expect(fault).toMatchObject({ type: "model_not_found", details: { param: "fallbacks" } });
  });

  it("can't tell another account's pending model from none at all", () => {
    const models = [sampleModel("a/x", { state: "pending" })];
    const hidden = faultOf(() => find(models, { model: "x" }));
    const absent = faultOf(() => find([], { model: "x" }));
    expect([hidden.type, hidden.message]).toEqual([absent.type, absent.message]);
    const owner = { caller: sampleCaller({ accountId: "provider-account" }) };
    expect(faultOf(() => find(models, { model: "x" }, owner)).message).toContain("conformance check");
  });

  it("is answered 503 where the model exists and is not routed", () => {
    const suspended = [sampleModel("a/x", { state: "suspended" })];
    expect(faultOf(() => find(suspended, { model: "x" })).status).toBe(503);
  });

  it("is served by its only endpoint even if that is down: a breaker never takes away the last candidate", () => {
    const healthOf = ({ provider }: Model) => sampleHealth({ available: provider !== "a", state: "open" });
    const only = find([sampleModel("a/x")], { model: "x" }, { healthOf });
    expect(namesOf(only)).toEqual([["a/x"]]);
    expect(only.excluded()).toEqual([]);
    const two = find([sampleModel("a/x"), sampleModel("b/x")], { model: "x" }, { healthOf });
    expect(namesOf(two)).toEqual([["b/x"]]);
  });

  it("is refused where the key does not allow the model", () => {
    const models = [sampleModel("a/x"), sampleModel("b/x"), sampleModel("a/y")];
    const caller = sampleCaller({ models: new Set(["a/x"]) });
    expect(namesOf(find(models, { model: "x" }, { caller }))).toEqual([["a/x"]]);
    const fault = faultOf(() => find(models, { model: "y" }, { caller }));
    expect(fault).toMatchObject({ type: "insufficient_scope", details: { param: "model" } });
    const fallback = faultOf(() => find(models, { model: "x", fallbacks: ["y"] }, { caller }));
    expect(fallback).toMatchObject({ type: "insufficient_scope", details: { param: "fallbacks" } });
  });

  it("gets it whatever its type, as long as it can take the input", () => {
    const models = [
      sampleModel("a/i", { type: "image" }),
      sampleModel("a/t"),
      sampleModel("a/e", { type: "embedding" }),
    ];
    expect(namesOf(find(models, { model: "i" }))).toEqual([["a/i"]]);
    const pictured = faultOf(() => find(models, { model: "t", conversation: picture }));
    expect(pictured.type).toBe("no_model_available");
    expect(pictured.message).toContain("attachments");
    expect(faultOf(() => find(models, { model: "e" })).message).toContain("embeddings");
  });

  it("gets a model on probation, whatever its share of automatic requests", () => {
    expect(
      namesOf(find([sampleModel("a/x", { state: "probation", canaryShare: 0 })], { model: "x" })),
    ).toEqual([["a/x"]]);
  });

  it("must lower max_tokens where no provider of the name gives so many", () => {
    const models = [
      sampleModel("a/x", { maxOutputTokens: 50 }),
      sampleModel("b/x", { maxOutputTokens: 80 }),
      sampleModel("a/y"),
    ];
    const asking = (maxTokens: number) => ({
      model: "x",
      fallbacks: ["y"],
      parameters: { ...parameters, maxTokens },
    });
    const fault = faultOf(() => find(models, asking(81)));
    expect(fault).toMatchObject({
      type: "invalid_request",
      details: { param: "parameters.max_tokens" },
    });
    expect(fault.message).toContain("80");
    expect(namesOf(find(models, asking(80)))).toEqual([["b/x"], ["a/y"]]);
  });

  it("that was found by a key is not given audio, which it is not priced for", () => {
    const heard = conversationOf("What is said?", [
      { type: "attachment", kind: "audio", url: "https://example.test/a.wav" },
    ]);
    const found = sampleModel("a/x", { type: "multimodal", keys: [] });
    const fault = faultOf(() => find([found], { model: "x", conversation: heard }));
    expect(fault.message).toContain("not priced for audio");
    expect(find([found], { model: "x", conversation: picture }).tiers).toHaveLength(1);
    expect(find([{ ...found, keys: undefined }], { model: "x", conversation: heard }).tiers).toHaveLength(1);
  });
});
