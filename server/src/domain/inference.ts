import type { NanoCredits } from "../kit/money.ts";
import type { Conversation } from "./conversation.ts";

export const TASK_KINDS = ["chat", "text", "code", "analysis", "image", "audio", "multimodal"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export interface Task {
  readonly kind: TaskKind;
  /** The client's own word in lower case with hyphens: matched against capabilities and specialties. */
  readonly word: string;
  /** Whether the word is one of the known aliases. An unknown one is served by text models. */
  readonly known: boolean;
}

export const STRATEGIES = ["cost-optimized", "speed-optimized", "quality-optimized", "hybrid"] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface Preferences {
  readonly speed: "fast" | "balanced" | "any" | undefined;
  readonly cost: "low" | "balanced" | "any" | undefined;
  readonly quality: "high" | "balanced" | "any" | undefined;
  readonly maxCost: NanoCredits | undefined;
  readonly maxLatencyMs: number | undefined;
  readonly minQuality: number | undefined;
}

export type Scalar = string | number | boolean | null;

export interface Parameters {
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly size: string | undefined;
  readonly voice: string | undefined;
  readonly format: string | undefined;
  /** Passed to the provider as they are. */
  readonly others: Readonly<Record<string, Scalar>>;
}

/** A validated request for an answer, whatever wire format it came in. */
export interface Inference {
  readonly task: Task;
  readonly conversation: Conversation;
  /** A model's name or `provider/name`; undefined: the service chooses. */
  readonly model: string | undefined;
  readonly fallbacks: readonly string[];
  /** A strategy for this request alone. */
  readonly strategy: Strategy | undefined;
  readonly preferences: Preferences;
  readonly parameters: Parameters;
  /** The client reads the answer as it comes. */
  readonly streaming: boolean;
}
