import { describe, expect, it } from "vitest";
import { canonicalUrl } from "./root-paths.ts";

const STAINLESS = { "x-stainless-lang": "js" };
const ANTHROPIC = { "x-stainless-lang": "js", "anthropic-version": "2023-06-01" };

describe("canonicalUrl", () => {
  it.each([
    ["/v1/chat/completions", "/openai/v1/chat/completions"],
    ["/v1/chat/completions?a=1", "/openai/v1/chat/completions?a=1"],
    ["/v1/responses", "/openai/v1/responses"],
    ["/v1/audio/speech", "/openai/v1/audio/speech"],
    ["/v1/messages?beta=true", "/anthropic/v1/messages?beta=true"],
    ["/v1/messages/count_tokens", "/anthropic/v1/messages/count_tokens"],
    ["/v1/messages/batches", "/anthropic/v1/messages/batches"],
    ["/v1/messages/batches/msgbatch_1/results", "/anthropic/v1/messages/batches/msgbatch_1/results"],
    ["/v1/rerank", "/openai/v1/rerank"],
    ["/cohere/v2/rerank", "/openai/v1/rerank"],
    ["/api/chat", "/ollama/api/chat"],
    ["/v1beta/models/m:generateContent", "/gemini/v1beta/models/m:generateContent"],
    [
      "/openai/deployments/gpt-4o/chat/completions?api-version=1",
      "/openai/v1/chat/completions?azure-deployment=gpt-4o&api-version=1",
    ],
    ["/openai/responses?api-version=1", "/openai/v1/responses?api-version=1"],
    ["/v1/models?format=openai", "/openai/v1/models?format=openai"],
    ["/v1/models?format=anthropic", "/anthropic/v1/models?format=anthropic"],
  ])("routes %s as %s", (url, canonical) => {
    expect(canonicalUrl(url, {})).toBe(canonical);
  });

  it.each([
    "/v1/models",
    "/v1/models?format=other",
    "/v1/embeddings",
    "/v1/ai/request",
    "/v1/audio",
    "/openai/v1/chat/completions",
    "/openai/other",
    "/v1/messages/other",
    "/v1/messages/batchesx",
    "/apis/chat",
    "/v1/modelsx",
    "/",
  ])("leaves %s as it is", (url) => {
    expect(canonicalUrl(url, { "user-agent": "curl/8" })).toBe(url);
  });

  it("tells clients of other formats by their headers where our own has the path", () => {
    for (const path of ["/v1/models", "/v1/models/a/b", "/v1/embeddings", "/v1/files?purpose=batch", "/v1/batches/1"])
      expect(canonicalUrl(path, STAINLESS)).toBe(`/openai${path}`);
    expect(canonicalUrl("/v1/models", ANTHROPIC)).toBe("/anthropic/v1/models");
    expect(canonicalUrl("/v1/files/file_1/content", ANTHROPIC)).toBe("/anthropic/v1/files/file_1/content");
    expect(canonicalUrl("/v1/batches", ANTHROPIC)).toBe("/v1/batches");
  });
});
