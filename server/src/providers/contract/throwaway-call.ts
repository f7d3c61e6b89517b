import type { Part } from "../../domain/answer.ts";
import { conversationOf } from "../../domain/conversation.ts";
import type { Inference, Parameters } from "../../domain/inference.ts";
import type { Model } from "../../domain/model.ts";

export const NO_PARAMETERS: Parameters = {
  maxTokens: undefined,
  temperature: undefined,
  size: undefined,
  voice: undefined,
  format: undefined,
  others: {},
};

/** A model for tests: text, streaming, at home, with patient limits, unless said otherwise. */
export function makeModel(more: Partial<Model> = {}): Model {
  return {
    id: "0190a7c0-0000-7000-8000-000000000000",
    provider: "acme",
    name: "model",
    type: "text",
    description: "",
    accountId: undefined,
    wire: "trunkline",
    endpoint: "http://127.0.0.1:1/v1/generate",
    authType: "none",
    credential: undefined,
    mayDialPrivate: true,
    price: { version: "1", inputPerMillion: 0n, outputPerMillion: 0n, perImage: 0n, perRequest: 0n },
    capabilities: [],
    specialties: [],
    avgLatencyMs: undefined,
    accuracyScore: undefined,
    costEfficiency: undefined,
    streaming: true,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: {
      connectMs: 60_000,
      firstByteMs: 60_000,
      silenceMs: 60_000,
      wholeMs: 60_000,
      responseBytes: 1024 * 1024,
      chunkBytes: 64 * 1024,
    },
    state: "active",
    ...more,
  };
}

/** A plain question for tests, whose answer is read as it comes. */
export function makeInference(more: Partial<Inference> = {}): Inference {
  return {
    task: { kind: "text", word: "text", known: true },
    conversation: conversationOf("Hello?"),
    model: undefined,
    fallbacks: [],
    strategy: undefined,
    preferences: {
      speed: undefined,
      cost: undefined,
      quality: undefined,
      maxCost: undefined,
      maxLatencyMs: undefined,
      minQuality: undefined,
    },
    parameters: NO_PARAMETERS,
    streaming: true,
    ...more,
  };
}

/** All parts of an answer. */
export async function collect(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part);
  return all;
}
