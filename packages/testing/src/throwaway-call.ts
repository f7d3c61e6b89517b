import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { sampleInference, sampleModel } from "./samples.ts";

export const NO_PARAMETERS = sampleInference().parameters;

/** A model for tests: text, streaming, at home, with patient limits, unless said otherwise. */
export function makeModel(more: Partial<Model> = {}): Model {
  return sampleModel("acme/model", {
    endpoint: "http://127.0.0.1:1/v1/generate",
    mayDialPrivate: true,
    limits: {
      connectMs: 60_000,
      firstByteMs: 60_000,
      silenceMs: 60_000,
      wholeMs: 60_000,
      responseBytes: 1024 * 1024,
      chunkBytes: 64 * 1024,
    },
    ...more,
  });
}

/** A plain question for tests, whose answer is read as it comes. */
export function makeInference(more: Partial<Inference> = {}): Inference {
  return sampleInference({
    task: { kind: "text", word: "text", known: true },
    conversation: conversationOf("Hello?"),
    streaming: true,
    ...more,
  });
}
