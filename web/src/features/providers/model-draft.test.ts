import { describe, expect, it } from "vitest";
import { changeOf, draftOf, NEW_DRAFT, registrationOf, splitEndpoint } from "./model-draft.ts";
import type { OwnModel } from "./provider-queries.ts";

const MODEL = {
  name: "scribe",
  type: "text",
  description: "Writes.",
  endpoint: "https://models.example/v1",
  auth_type: "bearer",
  pricing: {
    input_per_1k_tokens: 0.001,
    cached_input_per_1k_tokens: null,
    output_per_1k_tokens: 0.002,
    per_image: 0,
    per_request: 0,
    per_second: 0,
  },
  capabilities: ["chat", "coding"],
  specialties: [],
  performance: { accuracy_score: 0.8 },
  streaming: true,
  context_window: 8_000,
  backups: [],
  limits: { connect_ms: 3_000, whole_ms: 300_000 },
} as unknown as OwnModel;

describe("a registration", () => {
  it("says what was typed and leaves out what was not", () => {
    const body = registrationOf({
      ...NEW_DRAFT,
      name: " scribe ",
      endpoint: "https://models.example/v1 ",
      credential: "sk-1",
      prices: { ...NEW_DRAFT.prices, input_per_1k_tokens: 0.001, output_per_1k_tokens: 0 },
      capabilities: "chat, , coding ,",
      accuracy: 0.8,
    });
    expect(body).toEqual({
      name: "scribe",
      type: "text",
      description: "",
      endpoint: "https://models.example/v1",
      wire: "openai",
      upstream_model: null,
      auth_type: "bearer",
      credential: "sk-1",
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0 },
      capabilities: ["chat", "coding"],
      specialties: [],
      streaming: true,
      backups: [],
      performance: { accuracy_score: 0.8 },
      limits: {},
    });
  });

  it("says which format the endpoint speaks, and what the model is called there", () => {
    const draft = { ...NEW_DRAFT, wire: "gemini" as const, upstreamModel: " gemini-2.5-flash " };
    expect(registrationOf(draft)).toMatchObject({ wire: "gemini", upstream_model: "gemini-2.5-flash" });
  });

  it("carries no credential where none is used", () => {
    expect(registrationOf({ ...NEW_DRAFT, authType: "none", credential: "left over" })).not.toHaveProperty(
      "credential",
    );
  });
});

describe("an endpoint", () => {
  it("loses the operation that was pasted with it", () => {
    expect(splitEndpoint("https://api.openai.com/v1/chat/completions", "openai")).toEqual({
      base: "https://api.openai.com/v1",
      operation: "/chat/completions",
    });
    expect(splitEndpoint(" https://models.example/v1/messages/", "anthropic").base).toBe("https://models.example/v1");
  });

  it("stays where the operation belongs to it", () => {
    expect(splitEndpoint("https://models.example/v1", "openai")).toEqual({ base: "https://models.example/v1" });
    expect(splitEndpoint("https://models.example/completions", "trunkline").operation).toBeUndefined();
  });
});

describe("a change", () => {
  const kept = draftOf(MODEL);

  it("is nothing where nothing was changed", () => {
    expect(changeOf(kept, kept)).toEqual({});
  });

  it("is only what differs", () => {
    const changed = { ...kept, description: "Writes well.", prices: { ...kept.prices, per_request: 0.01 } };
    expect(changeOf(changed, kept)).toEqual({
      description: "Writes well.",
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002, per_request: 0.01 },
    });
  });

  it("makes nothing of a price that was emptied", () => {
    const dear = { ...kept, prices: { ...kept.prices, per_request: 0.01 } };
    expect(changeOf(kept, dear)).toEqual({
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002, per_request: 0 },
    });
  });

  it("replaces the credential only where one was typed", () => {
    expect(changeOf({ ...kept, credential: "sk-2" }, kept)).toEqual({ credential: "sk-2" });
  });
});
