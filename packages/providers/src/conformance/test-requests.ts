import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, RERANK_TASK, textInference } from "@trunkline/core/inference.ts";
import type { CallLimits, Model, ModelType } from "@trunkline/core/model.ts";
import { traitsOf } from "@trunkline/core/model-traits.ts";

const TEST_INPUTS: Record<ModelType, string> = {
  text: "Say hello in one short sentence.",
  multimodal: "Say hello in one short sentence.",
  embedding: "Hello.",
  image: "A red circle on a white ground.",
  audio: "Hello.",
};
/** Enough for a model that thinks first. */
const TEST_TOKENS_MAX = 1_024;

/** The simplest request that a model of this type must answer, in any format. */
export function testInference(model: Model, streaming: boolean): Inference {
  const { type } = model;
  const answersInText = type === "text" || type === "multimodal";
  const plain = traitsOf(model).reranks
    ? { ...textInference("", RERANK_TASK), conversation: conversationOfTexts(["Who says hello?", TEST_INPUTS[type]]) }
    : textInference(TEST_INPUTS[type], normaliseTask(type));
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

const PLAIN_BODIES: Record<ModelType, object> = {
  text: { input: "Say hello in one short sentence.", parameters: { max_tokens: 64 } },
  multimodal: { input: "Say hello in one short sentence.", parameters: { max_tokens: 64 } },
  embedding: { input: "Hello.", parameters: {} },
  image: { input: "A red circle on a white ground.", parameters: { size: "1024x1024" } },
  audio: { input: "Hello.", parameters: {} },
};

/** A request of a check, not always a valid one. */
export interface TestRequest {
  readonly body: string;
  readonly streaming: boolean;
}

/** The simplest request that a model of this type must answer, with changes by a check. */
export function testRequestFor(type: ModelType, changes: object = {}): TestRequest {
  return { body: JSON.stringify({ ...PLAIN_BODIES[type], ...changes }), streaming: false };
}

/** The same request for a streamed answer. */
export function streamingTestRequestFor(type: ModelType): TestRequest {
  return { body: testRequestFor(type, { stream: true }).body, streaming: true };
}

/** A person waits for the result of a check, so its limits are lower than those of a real request. */
const CHECK_LIMITS = { connectMs: 3_000, silenceMs: 10_000, wholeMs: 30_000 };
const CHECK_FIRST_BYTE_MS: Record<ModelType, number> = {
  text: 10_000,
  multimodal: 10_000,
  embedding: 10_000,
  image: 30_000,
  audio: 30_000,
};

/** The limits for checking a model of this type. */
export function limitsForChecks<Limits extends CallLimits>(limits: Limits, type: ModelType): Limits {
  return {
    ...limits,
    connectMs: Math.min(limits.connectMs, CHECK_LIMITS.connectMs),
    firstByteMs: Math.min(limits.firstByteMs, CHECK_FIRST_BYTE_MS[type]),
    silenceMs: Math.min(limits.silenceMs, CHECK_LIMITS.silenceMs),
    wholeMs: Math.min(limits.wholeMs, CHECK_LIMITS.wholeMs),
  };
}
