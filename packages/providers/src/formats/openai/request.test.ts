import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { operationUrl } from "./address.ts";
import { findCompatibleProvider } from "./bases.ts";
import { toOpenAiRequest } from "./request.ts";

const chatOf = (endpoint: string, upstreamModel?: string) =>
  operationUrl({ endpoint, name: "model", upstreamModel }, "chat", findCompatibleProvider(endpoint));

describe("the address of a request", () => {
  it.each([
    ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
    ["https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"],
    ["https://api.openai.com", "https://api.openai.com/v1/chat/completions"],
    ["https://api.groq.com/", "https://api.groq.com/openai/v1/chat/completions"],
    ["https://api.deepseek.com", "https://api.deepseek.com/chat/completions"],
    ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"],
    ["https://models.example.com", "https://models.example.com/chat/completions"],
    ["https://models.example.com/a?tenant=7", "https://models.example.com/a/chat/completions?tenant=7"],
    ["https://mine.openai.azure.com/openai/v1", "https://mine.openai.azure.com/openai/v1/chat/completions"],
    [
      "https://mine.openai.azure.com/openai/v1/?api-version=preview",
      "https://mine.openai.azure.com/openai/v1/chat/completions?api-version=preview",
    ],
    ["https://mine.openai.azure.com/", "https://mine.openai.azure.com/openai/v1/chat/completions"],
    [
      "https://mine.openai.azure.com/?api-version=2024-10-21",
      "https://mine.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21",
    ],
    [
      "https://mine.openai.azure.com/openai?api-version=2024-10-21",
      "https://mine.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21",
    ],
    [
      "https://mine.openai.azure.com/openai/deployments/other?api-version=2024-10-21",
      "https://mine.openai.azure.com/openai/deployments/other/chat/completions?api-version=2024-10-21",
    ],
  ])("below %s is %s", (endpoint, address) => {
    expect(chatOf(endpoint, "my gpt")).toBe(address);
  });

  it("is another for each operation", () => {
    const model = { endpoint: "https://api.openai.com/v1", name: "model", upstreamModel: undefined };
    expect(operationUrl(model, "embeddings", undefined)).toBe("https://api.openai.com/v1/embeddings");
    expect(operationUrl(model, "images", undefined)).toBe("https://api.openai.com/v1/images/generations");
    expect(operationUrl(model, "speech", undefined)).toBe("https://api.openai.com/v1/audio/speech");
    expect(operationUrl(model, "transcription", undefined)).toBe(
      "https://api.openai.com/v1/audio/transcriptions",
    );
  });
});

describe("the credential of a request", () => {
  const headersOf = (more: Partial<Model>) =>
    toOpenAiRequest(
      { model: makeModel({ wire: "openai", ...more }), inference: makeInference(), requestId: "r1" },
      new Secret("key-1"),
    ).headers;

  it("is shown as the model says, or as the provider wants it", () => {
    const usual = { endpoint: "https://api.openai.com/v1", authType: "bearer" } as const;
    expect(headersOf(usual)).toEqual({
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      authorization: "Bearer key-1",
      "x-request-id": "r1",
    });
    expect(headersOf({ ...usual, authType: "x-api-key" })).toMatchObject({ "x-api-key": "key-1" });
    const azure = headersOf({ endpoint: "https://mine.openai.azure.com/openai/v1", authType: "bearer" });
    expect(azure).toMatchObject({ "api-key": "key-1" });
    expect(azure).not.toHaveProperty("authorization");
  });

  it("is not shown to those who want none", () => {
    const none = { endpoint: "https://mine.openai.azure.com/openai/v1", authType: "none" } as const;
    expect(JSON.stringify(headersOf(none))).not.toContain("key-1");
  });
});
