import { conversationOf } from "./conversation.ts";
import type { Inference, Task } from "./inference.ts";

/** A request of these words alone, that leaves everything else to the service. */
export function textInference(input: string, task: Task): Inference {
  return {
    task,
    conversation: conversationOf(input),
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
    parameters: {
      maxTokens: undefined,
      temperature: undefined,
      size: undefined,
      voice: undefined,
      format: undefined,
      others: {},
    },
    streaming: false,
  };
}
