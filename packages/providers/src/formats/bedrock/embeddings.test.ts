import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { someCall } from "@trunkline/testing/every-cut.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { bedrockFormat } from "./format.ts";

const TITAN = "amazon.titan-embed-text-v2:0";
const COHERE = "cohere.embed-english-v3";
const format = bedrockFormat();

function embed(name: string, texts: readonly string[], parameters: Partial<Parameters> = {}) {
  const dropped: string[] = [];
  const call = someCall({
    model: makeModel({ type: "embedding", upstreamModel: name, endpoint: "https://proxy.test" }),
    inference: makeInference({
      conversation: conversationOfTexts(texts),
      parameters: { ...NO_PARAMETERS, ...parameters },
    }),
    onUnsupported: (field) => void dropped.push(field),
  });
  return { call, dropped };
}

async function ask(name: string, texts: readonly string[], parameters: Partial<Parameters> = {}) {
  const { call, dropped } = embed(name, texts, parameters);
  const { url, body } = await format.request(call, undefined);
  return { url, body: JSON.parse(String(body)), dropped };
}

function read(name: string, texts: readonly string[], answer: unknown, headers = {}) {
  const reader = format.read(embed(name, texts).call, { headers, streaming: false });
  const parts: Part[] = [];
  reader.push(Buffer.from(JSON.stringify(answer)), parts);
  return [...parts, ...reader.end()];
}

describe("a request for embeddings", () => {
  it("has the format of the model's vendor", async () => {
    expect(await ask(TITAN, ["one"], { dimensions: 256 })).toEqual({
      url: "https://proxy.test/model/amazon.titan-embed-text-v2%3A0/invoke",
      body: { inputText: "one", dimensions: 256 },
      dropped: [],
    });
    expect(await ask(COHERE, ["one", "two"], { others: { input_type: "search_query" } })).toMatchObject({
      body: { texts: ["one", "two"], input_type: "search_query", embedding_types: ["float"] },
      dropped: [],
    });
    expect(await ask("cohere.embed-v4:0", ["one"], { dimensions: 512 })).toMatchObject({
      body: { input_type: "search_document", output_dimension: 512 },
      dropped: [],
    });
  });

  it("reports what the model does not support", async () => {
    expect((await ask("amazon.titan-embed-text-v1", ["one"], { dimensions: 256 })).dropped).toEqual(["dimensions"]);
    expect((await ask(COHERE, ["one"], { dimensions: 256, others: { other: 1 } })).dropped).toEqual([
      "other",
      "dimensions",
    ]);
  });

  it("with several texts is left to another model where one accepts only one", async () => {
    await expect(ask(TITAN, ["one", "two"])).rejects.toMatchObject({
      kind: "rejected",
      blamesEndpoint: false,
    });
  });
});

describe("embeddings", () => {
  it("are read from either format, with the input tokens", () => {
    expect(read(TITAN, ["one"], { embedding: [0.5, 1], inputTextTokenCount: 3 })).toEqual([
      { type: "usage", inputTokens: 3, outputTokens: 0 },
      { type: "embedding", index: 0, vector: [0.5, 1] },
      { type: "finish", reason: "stop" },
    ]);
    const headers = { "x-amzn-bedrock-input-token-count": "5" };
    const answer = { response_type: "embeddings_by_type", embeddings: { float: [[1], [2]] } };
    expect(read(COHERE, ["one", "two"], answer, headers)).toEqual([
      { type: "usage", inputTokens: 5, outputTokens: 0 },
      { type: "embedding", index: 0, vector: [1] },
      { type: "embedding", index: 1, vector: [2] },
      { type: "finish", reason: "stop" },
    ]);
    expect(read(COHERE, ["one"], { embeddings: [[1]] })).toHaveLength(2);
  });

  it.each([{}, { embeddings: [[1]] }, { embeddings: { float: [[1], ["2"]] } }, { embeddings: "none" }])(
    "are broken where there is not one vector per text: %j",
    (answer) => {
      expect(() => read(COHERE, ["one", "two"], answer)).toThrow(ProviderFailure);
    },
  );
});
