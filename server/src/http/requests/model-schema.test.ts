import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  modelNameSchema,
  registerModelSchema,
  toModelChange,
  toModelTerms,
  toPricingResponse,
  updateModelSchema,
} from "./model-schema.ts";

const BODY = {
  name: "x",
  type: "text",
  endpoint: "https://example.test/generate",
  pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
};

const takes = (change: Record<string, unknown>) => registerModelSchema.safeParse({ ...BODY, ...change }).success;

describe("a registration", () => {
  it("with the required fields alone has a default for every other", () => {
    const terms = toModelTerms(registerModelSchema.parse(BODY));
    expect(terms).toMatchObject({
      type: "text",
      description: "",
      authType: "none",
      credential: undefined,
      price: {
        inputPerMillion: 1_000_000_000n,
        cachedInputPerMillion: undefined,
        cacheWritePerMillion: undefined,
        outputPerMillion: 2_000_000_000n,
        perImage: 0n,
        perRequest: 0n,
        perSecond: 0n,
      },
      capabilities: [],
      streaming: false,
      backups: [],
      limits: {},
    });
  });

  it("with every field is taken over in full", () => {
    const body = {
      ...BODY,
      description: "A model.",
      credential: "sk-1234",
      pricing: {
        ...BODY.pricing,
        cached_input_per_1k_tokens: 0.0001,
        cache_write_per_1k_tokens: 0.00125,
        per_image: 0.04,
        per_request: 0.000_000_001,
        per_second: 0.000_1,
      },
      capabilities: [" Chat ", "CODE"],
      specialties: ["Law"],
      performance: { avg_latency_ms: 300, accuracy_score: 0.9 },
      cost_efficiency: "high",
      streaming: true,
      context_window: 128_000,
      max_output_tokens: 4_096,
      backups: ["acme/y"],
      limits: {
        connect_ms: 1,
        first_byte_ms: 2,
        silence_ms: 3,
        whole_ms: 4,
        response_bytes: 2_048,
        chunk_bytes: 1_024,
      },
    };
    const terms = toModelTerms(registerModelSchema.parse(body));
    expect(terms).toMatchObject({
      description: "A model.",
      authType: "bearer",
      price: {
        cachedInputPerMillion: 100_000_000n,
        cacheWritePerMillion: 1_250_000_000n,
        perImage: 40_000_000n,
        perRequest: 1n,
        perSecond: 100_000n,
      },
      capabilities: ["chat", "code"],
      specialties: ["law"],
      avgLatencyMs: 300,
      accuracyScore: 0.9,
      costEfficiency: "high",
      streaming: true,
      contextWindow: 128_000,
      maxOutputTokens: 4_096,
      backups: ["acme/y"],
      limits: {
        connectMs: 1,
        firstByteMs: 2,
        silenceMs: 3,
        wholeMs: 4,
        responseBytes: 2_048,
        chunkBytes: 1_024,
      },
    });
    expect(terms.credential?.reveal()).toBe("sk-1234");
  });

  it("authenticates as it says, or by bearer where it has a credential, or not at all", () => {
    const authTypeOf = (change: Record<string, unknown>) =>
      toModelTerms(registerModelSchema.parse({ ...BODY, ...change })).authType;
    expect(authTypeOf({})).toBe("none");
    expect(authTypeOf({ credential: null })).toBe("none");
    expect(authTypeOf({ credential: "sk" })).toBe("bearer");
    expect(authTypeOf({ credential: "sk", auth_type: "x-api-key" })).toBe("x-api-key");
  });

  it.each<[string, Record<string, unknown>]>([
    ["an unknown type", { type: "video" }],
    ["no endpoint", { endpoint: undefined }],
    ["a credential with a line break", { credential: "sk\r\nX-Evil: 1" }],
    ["a credential with a space", { credential: "sk 1" }],
    ["an empty credential", { credential: "" }],
    ["an unknown way to authenticate", { auth_type: "basic" }],
    ["too many capabilities", { capabilities: Array.from({ length: 65 }, () => "chat") }],
    ["an accuracy above one", { performance: { accuracy_score: 1.1 } }],
    ["a fraction of a token", { max_output_tokens: 1.5 }],
    ["a limit of nothing", { limits: { connect_ms: 0 } }],
    ["a description that the store can't hold", { description: "a\u0000b" }],
    ["a capability that the store can't hold", { capabilities: ["a\u0000b"] }],
    ["a specialty that the store can't hold", { specialties: ["a\u0000b"] }],
    ["a level of cost that the store can't hold", { cost_efficiency: "a\u0000b" }],
    ["a backup that the store can't hold", { backups: ["a\u0000b"] }],
    ["an endpoint that the store can't hold", { endpoint: "https://example.test/\u0000" }],
  ])("is refused with %s", (_what, change) => {
    expect(takes(change)).toBe(false);
  });
});

describe("a model's name", () => {
  it.each(["x", "gpt-4o", "llama3.1:8b", "A_b-c.d:e", "0", "a".repeat(128), "automatic"])("can be %s", (name) => {
    expect(modelNameSchema.safeParse(name).success).toBe(true);
  });

  it.each(["", "auto", "AUTO", "-x", ".x", "a/b", "a b", "a".repeat(129), "ä", "x\n"])("can't be %j", (name) => {
    expect(modelNameSchema.safeParse(name).success).toBe(false);
  });
});

describe("a price", () => {
  const free = { input_per_1k_tokens: 0, output_per_1k_tokens: 0 };

  it.each<[string, string, Record<string, unknown>]>([
    ["of tokens both ways", "text", BODY.pricing],
    ["of nothing, where that is said", "text", free],
    ["of what comes in alone", "embedding", { input_per_1k_tokens: 1 }],
    ["by the picture", "image", { per_image: 0.04 }],
    ["by the request", "image", { per_request: 0.04 }],
    ["by the request", "audio", { per_request: 0.04 }],
    ["by the second", "audio", { per_second: 0.0001 }],
    ["of tokens", "audio", free],
    ["with one of its own for the cache", "text", { ...BODY.pricing, cached_input_per_1k_tokens: 0 }],
    ["with none of its own for the cache", "text", { ...BODY.pricing, cached_input_per_1k_tokens: null }],
    ["with one for what is put into it", "text", { ...BODY.pricing, cache_write_per_1k_tokens: 0.00125 }],
    ["with none for what is put into it", "text", { ...BODY.pricing, cache_write_per_1k_tokens: null }],
    ["at the very most", "text", { input_per_1k_tokens: 1_000, output_per_1k_tokens: 1_000 }],
    ["at the very least", "text", { input_per_1k_tokens: 1e-12, output_per_1k_tokens: 1e-12 }],
  ])("%s is taken for a model of type %s", (_what, type, pricing) => {
    expect(takes({ type, pricing })).toBe(true);
  });

  it.each<[string, string, unknown]>([
    ["that is missing", "text", undefined],
    ["that is empty", "text", {}],
    ["that is empty", "image", {}],
    ["of what comes in alone", "text", { input_per_1k_tokens: 1 }],
    ["of what goes out alone", "text", { output_per_1k_tokens: 1 }],
    ["by the request alone", "text", { per_request: 1 }],
    ["by the picture alone", "multimodal", { per_image: 1 }],
    // It never makes an image, so every request would be free.
    ["by the picture alone", "audio", { per_image: 1 }],
    ["by the second alone", "image", { per_second: 1 }],
    ["by the second alone", "multimodal", { per_second: 1 }],
    ["of the cache alone", "text", { cached_input_per_1k_tokens: 1 }],
    ["of the cache below zero", "text", { ...BODY.pricing, cached_input_per_1k_tokens: -1 }],
    ["of the cache above the limit", "text", { ...BODY.pricing, cached_input_per_1k_tokens: 1_001 }],
    ["of what is put into it alone", "text", { cache_write_per_1k_tokens: 1 }],
    ["of what is put into it below zero", "text", { ...BODY.pricing, cache_write_per_1k_tokens: -1 }],
    ["of what is put into it above the limit", "text", { ...BODY.pricing, cache_write_per_1k_tokens: 1_001 }],
    ["of a second below zero", "audio", { per_second: -1 }],
    ["of a second that is null", "audio", { per_second: null }],
    ["of a second finer than nine decimals", "audio", { per_second: 1e-10 }],
    ["below zero", "text", { input_per_1k_tokens: -1, output_per_1k_tokens: 1 }],
    ["above the limit", "text", { input_per_1k_tokens: 1_000.1, output_per_1k_tokens: 1 }],
    ["finer than twelve decimals", "text", { input_per_1k_tokens: 1e-13, output_per_1k_tokens: 1 }],
    ["that is null", "text", { input_per_1k_tokens: null, output_per_1k_tokens: 1 }],
    ["as a text", "text", { input_per_1k_tokens: "1", output_per_1k_tokens: 1 }],
  ])("%s is refused for a model of type %s", (_what, type, pricing) => {
    expect(takes({ type, pricing })).toBe(false);
  });

  it("is shown again as it was given, to the last of its twelve decimals", () => {
    const tokenPrice = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((millionths) => Number(`${millionths}e-12`));
    const amount = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((nano) => Number(`${nano}e-9`));
    const pricing = fc.record({
      input_per_1k_tokens: tokenPrice,
      cached_input_per_1k_tokens: fc.option(tokenPrice),
      cache_write_per_1k_tokens: fc.option(tokenPrice),
      output_per_1k_tokens: tokenPrice,
      per_image: amount,
      per_request: amount,
      per_second: amount,
    });
    fc.assert(
      fc.property(pricing, (given) => {
        const { price } = toModelTerms(registerModelSchema.parse({ ...BODY, pricing: given }));
        expect(toPricingResponse(price)).toEqual(given);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a change of a model", () => {
  it("holds only the given fields", () => {
    expect(toModelChange(updateModelSchema.parse({}))).toEqual({});
    expect(toModelChange(updateModelSchema.parse({ description: "", streaming: false, max_output_tokens: 5 }))).toEqual(
      {
        description: "",
        streaming: false,
        maxOutputTokens: 5,
      },
    );
  });

  it("removes the credential where it is null", () => {
    expect(Object.entries(toModelChange(updateModelSchema.parse({ credential: null })))).toEqual([
      ["credential", undefined],
    ]);
  });

  it("changes only the given limits and figures", () => {
    expect(
      toModelChange(updateModelSchema.parse({ limits: { whole_ms: 5 }, performance: { avg_latency_ms: 7 } })),
    ).toEqual({
      limits: { wholeMs: 5 },
      avgLatencyMs: 7,
    });
  });

  it("may suspend and resume, and set no other state", () => {
    for (const state of ["active", "suspended"]) expect(updateModelSchema.safeParse({ state }).success).toBe(true);
    for (const state of ["pending", "probation", "deleted"])
      expect(updateModelSchema.safeParse({ state }).success).toBe(false);
  });

  it("changes only the given prices", () => {
    expect(toModelChange(updateModelSchema.parse({ pricing: { per_image: 0.5, output_per_1k_tokens: 0 } }))).toEqual({
      price: { perImage: 500_000_000n, outputPerMillion: 0n },
    });
    expect(updateModelSchema.safeParse({ pricing: { per_image: -1 } }).success).toBe(false);
    const { price } = toModelChange(updateModelSchema.parse({ pricing: { cached_input_per_1k_tokens: null } }));
    expect(Object.entries(price ?? {})).toEqual([["cachedInputPerMillion", undefined]]);
    const { price: written } = toModelChange(updateModelSchema.parse({ pricing: { cache_write_per_1k_tokens: null } }));
    expect(Object.entries(written ?? {})).toEqual([["cacheWritePerMillion", undefined]]);
  });
});
