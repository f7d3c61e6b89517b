import type { ModelType } from "@trunkline/core/model.ts";

const PLAIN_BODIES: Record<ModelType, object> = {
  text: { input: "Say hello in one short sentence.", parameters: { max_tokens: 64 } },
  multimodal: { input: "Say hello in one short sentence.", parameters: { max_tokens: 64 } },
  embedding: { input: "Hello.", parameters: {} },
  image: { input: "A red circle on a white ground.", parameters: { size: "1024x1024" } },
  audio: { input: "Hello.", parameters: {} },
};

/** A request that a check makes, not always a proper one. */
export interface TestRequest {
  readonly body: string;
  readonly streaming: boolean;
}

/** The simplest request that a model of this type must answer, with what a check changes in it. */
export function testRequestFor(type: ModelType, changes: object = {}): TestRequest {
  return { body: JSON.stringify({ ...PLAIN_BODIES[type], ...changes }), streaming: false };
}

/** The same, to be answered piece by piece. */
export function streamingTestRequestFor(type: ModelType): TestRequest {
  return { body: testRequestFor(type, { stream: true }).body, streaming: true };
}
