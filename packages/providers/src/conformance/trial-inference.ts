import type { Inference } from "@trunkline/core/inference.ts";
import type { ModelType } from "@trunkline/core/model.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { plainInference } from "@trunkline/core/plain-inference.ts";

const INPUTS: Record<ModelType, string> = {
  text: "Say hello in one short sentence.",
  multimodal: "Say hello in one short sentence.",
  embedding: "Hello.",
  image: "A red circle on a white ground.",
  audio: "Hello.",
};
/** Enough for a model that thinks first. */
const TOKENS_MAX = 1_024;

/** The simplest request that a model of this type must answer, in whatever format it is sent. */
export function trialInference(type: ModelType, streaming: boolean): Inference {
  const answersInText = type === "text" || type === "multimodal";
  const plain = plainInference(INPUTS[type], normaliseTask(type));
  return {
    ...plain,
    parameters: {
      ...plain.parameters,
      maxTokens: answersInText ? TOKENS_MAX : undefined,
      size: type === "image" ? "1024x1024" : undefined,
    },
    streaming,
  };
}
