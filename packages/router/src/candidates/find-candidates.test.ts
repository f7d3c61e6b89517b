import { conversationOf } from "@trunkline/core/conversation.ts";
import { normaliseTask } from "@trunkline/core/inference.ts";
import { FREE_PRICE, type Model } from "@trunkline/core/model.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import {
  faultOf,
  find,
  namesOf,
  sampleBuiltin,
  sampleCaller,
  sampleHealth,
  sampleInference,
  sampleModel,
  sampleQuote,
} from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import type { CandidatePool } from "./find-candidates.ts";

describe("findCandidates", () => {
  function reasonFor(candidatePool: CandidatePool, model: string): string | undefined {
    return candidatePool.excluded().find((left) => left.model === model)?.reason;
  }

  const preferences = sampleInference().preferences;
  const parameters = sampleInference().parameters;
  const picture = conversationOf("What is this?", [
    { type: "attachment", kind: "image", url: "https://example.test/a.png" },
  ]);

  describe("an automatic request", () => {
    const types = [
      sampleModel("a/text"),
      sampleModel("a/multi", { type: "multimodal" }),
      sampleModel("a/image", { type: "image" }),
      sampleModel("a/audio", { type: "audio" }),
      sampleModel("a/embedding", { type: "embedding" }),
    ];

    it.each([
      ["chat", ["a/text", "a/multi"]],
      ["text", ["a/text", "a/multi"]],
      ["code", ["a/text", "a/multi"]],
      ["analysis", ["a/text", "a/multi"]],
      ["weather-forecast", ["a/text", "a/multi"]],
      ["image", ["a/image"]],
      ["audio", ["a/audio"]],
      ["multimodal", ["a/multi"]],
    ])("for %s is served by %j", (task, names) => {
      expect(namesOf(find(types, { task: normaliseTask(task) }))).toEqual([names]);
    });

    it("with attachments is served by multimodal models only", () => {
      const candidatePool = find(types, { conversation: picture });
      expect(namesOf(candidatePool)).toEqual([["a/multi"]]);
      expect(reasonFor(candidatePool, "a/text")).toContain("attachments");
    });

    it("may stream from a model that can't stream", () => {
      expect(namesOf(find([sampleModel("a/x", { streaming: false })], { streaming: true }))).toEqual([["a/x"]]);
    });

    it("skips models that are not routed, and hides pending models of other accounts", () => {
      const models = [
        sampleModel("a/on"),
        sampleModel("a/off", { state: "suspended" }),
        sampleModel("a/new", { state: "pending" }),
        sampleModel("a/mine", { state: "pending", accountId: "client-account" }),
      ];
      const candidatePool = find(models);
      expect(namesOf(candidatePool)).toEqual([["a/on"]]);
      expect(candidatePool.excluded().map(({ model }) => model)).toEqual(["a/off", "a/mine"]);
    });

    it("considers a model on probation in a twentieth of the requests", () => {
      const models = [sampleModel("a/old"), sampleModel("a/new", { state: "probation" })];
      const all = Array.from({ length: 1_000 }, (_, index) => find(models, {}, { trafficKey: index }));
      const without = all.filter((candidatePool) => namesOf(candidatePool)[0]?.length === 1);
      expect((all.length - without.length) / all.length).toBeCloseTo(0.05, 1);
      for (const candidatePool of without) {
        expect(namesOf(candidatePool)).toEqual([["a/old"]]);
        expect(reasonFor(candidatePool, "a/new")).toBe(
          "it is on probation and takes part in 5 % of the automatic requests, and not in this one",
        );
      }
    });

    it("leaves an active model out of those requests that its canary share does not cover", () => {
      const models = [sampleModel("a/old"), sampleModel("a/throttled", { canaryShare: 0 })];
      const candidatePool = find(models);
      expect(namesOf(candidatePool)).toEqual([["a/old"]]);
      expect(reasonFor(candidatePool, "a/throttled")).toContain("takes part in 0 % of the automatic requests");
      expect(namesOf(find(models, { model: "throttled" }))).toEqual([["a/throttled"]]);
    });

    it("keeps to the models that the key allows, by either form of their name", () => {
      const models = [sampleModel("a/x"), sampleModel("b/x"), sampleModel("b/y")];
      const allow = (...names: string[]) => ({ caller: sampleCaller({ models: new Set(names) }) });
      expect(namesOf(find(models, {}, allow("x")))).toEqual([["a/x", "b/x"]]);
      expect(namesOf(find(models, {}, allow("b/x", "y")))).toEqual([["b/x", "b/y"]]);
      expect(faultOf(() => find(models, {}, allow("z"))).type).toBe("no_model_available");
    });

    it("excludes models whose context window is one token too small", () => {
      const models = [sampleModel("a/ten", { contextWindow: 10 }), sampleModel("a/more", { contextWindow: 11 })];
      const candidatePool = find(models);
      expect(namesOf(candidatePool)).toEqual([["a/more"]]);
      expect(reasonFor(candidatePool, "a/ten")).toContain("context window is 10");
    });

    it("excludes models that can't give the requested length", () => {
      const models = [sampleModel("a/short", { maxOutputTokens: 99 }), sampleModel("a/long", { maxOutputTokens: 100 })];
      const candidatePool = find(models, { parameters: { ...parameters, maxTokens: 100 } });
      expect(namesOf(candidatePool)).toEqual([["a/long"]]);
    });

    it("takes max_cost as a bound on the worst case", () => {
      const models = [sampleModel("a/cheap"), sampleModel("a/dear")];
      const quoteOf = (model: Model) => sampleQuote(10n, model.name === "dear" ? 21n : 20n);
      const candidatePool = find(models, { preferences: { ...preferences, maxCost: 20n } }, { quoteOf });
      expect(namesOf(candidatePool)).toEqual([["a/cheap"]]);
      expect(reasonFor(candidatePool, "a/dear")).toContain("0.000000021 credits");
    });

    it("excludes a model with an unknown price, named or not, even the last one, with the reason", () => {
      const unpriced = { ...sampleModel("a/unpriced"), price: undefined };
      const quoteOf = ({ price }: Model) => (price === undefined ? undefined : sampleQuote(1n));
      const candidatePool = find([unpriced, sampleModel("a/x")], {}, { quoteOf });
      expect(namesOf(candidatePool)).toEqual([["a/x"]]);
      expect(reasonFor(candidatePool, "a/unpriced")).toContain("price is not known");

      const healthOf = () => sampleHealth({ available: false });
      for (const model of [undefined, "unpriced"]) {
        const fault = faultOf(() => find([unpriced], { model }, { quoteOf, healthOf }));
        expect(fault).toMatchObject({
          type: "no_model_available",
          message: expect.stringContaining("a/unpriced: its price is not known"),
        });
      }
    });

    it("names the model that is closest to a bound that none keeps", () => {
      const models = [...["a/dear", "a/close"].map((name) => sampleModel(name)), sampleBuiltin("guide", "text")];
      const quoteOf = ({ id }: Model) => sampleQuote(id === "a/close" ? 1_000n : 9_000n);
      const messageOf = (bounds: Partial<typeof preferences>) =>
        faultOf(() => find(models, { preferences: { ...preferences, ...bounds } }, { quoteOf })).message;
      expect(messageOf({ maxCost: 100n })).toContain(
        "Within max_cost of 0.0000001 credits, the closest is a/close, which may cost 0.000002 credits.",
      );
      expect(messageOf({ minQuality: 0.99 })).toContain("the closest is a/dear with a predicted quality of 0.80.");
      expect(messageOf({ maxLatencyMs: 10 })).toContain("which is expected to take 1000 ms.");
    });

    it("names a max_tokens with which a request keeps max_cost", () => {
      const price = { version: "1", ...FREE_PRICE, outputPerMillion: 10_000_000_000n };
      const models = [sampleModel("a/x", { price, maxOutputTokens: 4_000 })];
      const maxCost = 12_000_000n;
      const message = faultOf(() =>
        find(models, { preferences: { ...preferences, maxCost } }, { quoteOf: createQuoter(sampleInference()) }),
      ).message;
      const most = Number(/With a max_tokens of (\d+) it would keep it\./.exec(message)?.[1]);
      expect(most).toBeGreaterThan(1_000);
      const shorter = { parameters: { ...parameters, maxTokens: most }, preferences: { ...preferences, maxCost } };
      const quoteOf = createQuoter(sampleInference(shorter));
      expect(namesOf(find(models, shorter, { quoteOf }))).toEqual([["a/x"]]);
      expect(
        faultOf(() => find(models, { preferences: { ...preferences, maxCost: 1n } }, { quoteOf })).message,
      ).not.toContain("max_tokens");
    });

    it("names the largest limit where every model is too small", () => {
      const models = [100, 300, 200].map((maxOutputTokens) =>
        sampleModel(`a/m${maxOutputTokens}`, { maxOutputTokens }),
      );
      expect(faultOf(() => find(models, { parameters: { ...parameters, maxTokens: 400 } })).message).toBe(
        "No model can serve this request. The largest max_tokens that any of them takes is 300, by a/m300.",
      );
      const small = [5, 7].map((contextWindow) => sampleModel(`a/m${contextWindow}`, { contextWindow }));
      const quoteOf = () => ({ ...sampleQuote(1n), inputTokens: 9 });
      expect(faultOf(() => find(small, {}, { quoteOf })).message).toContain(
        "The input has about 9 tokens, and the largest context window is 7, of a/m7.",
      );
    });

    it("says of several bounds which one to change, and how far", () => {
      const models = [
        sampleModel("a/quick", { accuracyScore: 0.5, avgLatencyMs: 700 }),
        sampleModel("a/fair", { accuracyScore: 0.72, avgLatencyMs: 1_300 }),
        sampleModel("a/good", { accuracyScore: 0.97, avgLatencyMs: 3_800 }),
      ];
      const quoteOf = ({ id }: Model) => sampleQuote(id === "a/good" ? 9_000_000n : 1_000_000n);
      const messageOf = (bounds: Partial<typeof preferences>) =>
        faultOf(() => find(models, { preferences: { ...preferences, ...bounds } }, { quoteOf })).message;
      expect(messageOf({ maxLatencyMs: 1_500, minQuality: 0.95 })).toBe(
        "No model can serve this request. None keeps max_latency_ms of 1500 and min_quality of 0.95 together. " +
          "With a max_latency_ms of 3800, a/good would; with a min_quality of 0.72, a/fair would.",
      );
      expect(messageOf({ maxCost: 5_000_000n, minQuality: 0.95 })).toContain(
        "With a max_cost of 0.018, a/good would; with a min_quality of 0.72, a/fair would.",
      );
      expect(messageOf({ maxCost: 5_000_000n, maxLatencyMs: 2_000, minQuality: 0.95 })).toContain(
        "None keeps max_cost of 0.005 credits, max_latency_ms of 2000 and min_quality of 0.95 together. " +
          "With a min_quality of 0.72, a/fair would.",
      );
      expect(messageOf({ maxLatencyMs: 800, minQuality: 0.99 })).toContain(
        "With a min_quality of 0.50, a/quick would.",
      );
      expect(messageOf({ maxLatencyMs: 10, minQuality: 0.99 })).toContain(
        "Within max_latency_ms of 10, the closest is a/quick, which is expected to take 700 ms. " +
          "At min_quality of 0.99, the closest is a/good with a predicted quality of 0.97.",
      );
      expect(messageOf({ maxCost: 1_000n, maxLatencyMs: 800, minQuality: 0.95 })).toContain(
        "Within max_cost of 0.000001 credits, the closest is a/quick, which may cost 0.002 credits. " +
          "a/quick keeps max_latency_ms and a/good keeps min_quality.",
      );
    });

    it("keeps to max_latency_ms and min_quality", () => {
      const models = [
        sampleModel("a/good"),
        sampleModel("a/slow", { avgLatencyMs: 1_001 }),
        sampleModel("a/poor", { accuracyScore: 0.5 }),
      ];
      const bounds = { ...preferences, maxLatencyMs: 1_000, minQuality: 0.8 };
      const candidatePool = find(models, { preferences: bounds });
      expect(namesOf(candidatePool)).toEqual([["a/good"]]);
      expect(reasonFor(candidatePool, "a/slow")).toContain("1001 ms");
      expect(reasonFor(candidatePool, "a/poor")).toContain("0.50");
    });

    it("excludes an endpoint whose breaker is open, unless all are; a built-in model never hides an outage", () => {
      const models = [sampleModel("a/down"), sampleModel("a/up"), sampleBuiltin("guide", "text")];
      const healthOf = (model: Model) => sampleHealth({ available: model.name !== "down" });
      expect(namesOf(find(models, {}, { healthOf }))).toEqual([["a/up"]]);

      const allDown = ({ wire }: Model) => sampleHealth({ available: wire === "builtin" });
      expect(namesOf(find(models, {}, { healthOf: allDown }))).toEqual([["a/down", "a/up"]]);
    });

    it("explains why no model can serve", () => {
      const fault = faultOf(() =>
        find([sampleModel("a/x", { contextWindow: 3 }), sampleModel("a/i", { type: "image" })]),
      );
      expect(fault.type).toBe("no_model_available");
      expect(fault.message).toContain("a/x: the input has about 10 tokens");
      expect(fault.message).not.toContain("a/i");
      expect(fault.details.retryAfterSeconds).toBeGreaterThan(0);
      expect(faultOf(() => find([])).message).toContain('"chat"');
    });

    it("tries the fallbacks after all others, by the rules for named models", () => {
      const models = [sampleModel("a/x"), sampleModel("a/new", { state: "probation" }), sampleModel("a/y")];
      const candidatePool = find(models, { fallbacks: ["new", "y"] });
      expect(namesOf(candidatePool)).toEqual([["a/x", "a/y"], ["a/new"]]);
      expect(candidatePool.excluded()).toEqual([]);
    });

    it("gives the largest worst case", () => {
      const models = [sampleModel("a/x"), sampleModel("a/dear"), sampleModel("a/y")];
      const quoteOf = (model: Model) => sampleQuote(model.name === "dear" ? 70n : 30n);
      expect(find(models, {}, { quoteOf }).dearestWorst).toBe(140n);
      expect(find(models, {}, { quoteOf: () => sampleQuote(0n) }).dearestWorst).toBe(0n);
    });
  });

  describe("the built-in models", () => {
    const builtins = [
      sampleBuiltin("guide", "text"),
      sampleBuiltin("summary", "text"),
      sampleBuiltin("sketch", "image"),
      sampleBuiltin("voice", "audio"),
    ];

    it.each([
      ["chat", "guide"],
      ["text", "guide"],
      ["code", "guide"],
      ["weather-forecast", "guide"],
      ["analysis", "summary"],
      ["summarization", "summary"],
      ["image", "sketch"],
      ["audio", "voice"],
    ])("serve %s by %s when nothing else can", (task, name) => {
      expect(namesOf(find(builtins, { task: normaliseTask(task) }))).toEqual([[`builtin/${name}`]]);
    });

    it("do not serve when a registered model can", () => {
      const candidatePool = find([...builtins, sampleModel("a/x")]);
      expect(namesOf(candidatePool)).toEqual([["a/x"]]);
      expect(reasonFor(candidatePool, "builtin/guide")).toContain("only when no other model can");
    });

    it("serve when no registered model fits", () => {
      const candidatePool = find([...builtins, sampleModel("a/x", { state: "suspended" })]);
      expect(namesOf(candidatePool)).toEqual([["builtin/guide"]]);
      expect(candidatePool.excluded().map(({ model }) => model)).not.toContain("builtin/guide");
    });

    it("do not serve work that they cannot do", () => {
      expect(faultOf(() => find(builtins, { task: normaliseTask("translation") })).type).toBe("no_model_available");
    });

    it("do not answer for a bound that no registered model keeps", () => {
      const models = [...builtins, sampleModel("a/x", { contextWindow: 1 })];
      expect(faultOf(() => find(models)).message).toContain("a/x: the input has about 10 tokens");
    });

    it("serve when they are named, even beside registered ones", () => {
      const models = [...builtins, sampleModel("a/x")];
      expect(namesOf(find(models, { model: "guide" }))).toEqual([["builtin/guide"]]);
      expect(namesOf(find(models, { fallbacks: ["builtin/summary"] }))).toEqual([["a/x"], ["builtin/summary"]]);
    });

    it("never replace a named model or a model for attachments", () => {
      expect(faultOf(() => find(builtins, { conversation: picture })).type).toBe("no_model_available");
      const models = [...builtins, sampleModel("a/x", { state: "suspended" })];
      expect(faultOf(() => find(models, { model: "x" })).type).toBe("no_model_available");
    });
  });
});

describe("findCandidates with a named model", () => {
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

    it("gets one provider where it names the provider", () => {
      expect(namesOf(find([sampleModel("a/x"), sampleModel("b/x")], { model: "b/x" }))).toEqual([["b/x"]]);
    });

    it("gets the backups of a model that is down or suspended", () => {
      const models = [sampleModel("a/x", { state: "suspended", backups: ["y"] }), sampleModel("a/y")];
      const candidatePool = find(models, { model: "x" });
      expect(namesOf(candidatePool)).toEqual([["a/y"]]);
      expect(candidatePool.tiers[0]?.[0]?.tierKind).toBe("backup");
    });

    it("is refused for an unknown name, with similar names", () => {
      const models = [sampleModel("a/llama-70b"), sampleModel("a/llama-secret", { state: "pending" })];
      const fault = faultOf(() => find(models, { model: "llama-70" }));
      expect(fault).toMatchObject({ type: "model_not_found", status: 404, details: { param: "model" } });
      expect(fault.message).toContain('"llama-70b"');
      expect(fault.message).not.toContain("secret");
      expect(faultOf(() => find(models, { model: "a/llama-70" })).message).toContain('"a/llama-70b"');
    });

    it("is refused for an unknown fallback", () => {
      const fault = faultOf(() => find([sampleModel("a/x")], { model: "x", fallbacks: ["nope"] }));
      expect(fault).toMatchObject({ type: "model_not_found", details: { param: "fallbacks" } });
    });

    it("can't distinguish another account's pending model from a missing one", () => {
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

    it("is served by its only endpoint even if that is down: a breaker never removes the last candidate", () => {
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

    it("gets a model of any type that can take the input", () => {
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

    it("gets a model on probation, independent of its traffic share", () => {
      expect(namesOf(find([sampleModel("a/x", { state: "probation", canaryShare: 0 })], { model: "x" }))).toEqual([
        ["a/x"],
      ]);
    });

    it("must lower max_tokens where no provider of the name allows it", () => {
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

    it("does not send audio to a discovered model, which has no price for it", () => {
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
});
