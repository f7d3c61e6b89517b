import type { Inference } from "@trunkline/core/inference.ts";
import type { ModelType } from "@trunkline/core/model.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { textInference } from "@trunkline/core/plain-inference.ts";

const TEST_INPUTS: Record<ModelType, string> = {
  text: "Say hello in one short sentence.",
  multimodal: "Say hello in one short sentence.",
  embedding: "Hello.",
  image: "A red circle on a white ground.",
  audio: "Hello.",
};
/** Enough for a model that thinks first. */
const TEST_TOKENS_MAX = 1_024;

/** The simplest request that a model of this type must answer, in whatever format it is sent. */
export function testInference(type: ModelType, streaming: boolean): Inference {
  const answersInText = type === "text" || type === "multimodal";
  const plain = textInference(TEST_INPUTS[type], normaliseTask(type));
  return {
    ...plain,
    parameters: {
      ...plain.parameters,
      maxTokens: answersInText ? TEST_TOKENS_MAX : undefined,
      size: type === "image" ? "1024x1024" : undefined,
    },
    streaming,
  };
}
