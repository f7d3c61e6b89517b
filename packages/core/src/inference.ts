import { type Conversation, conversationOf } from "./conversation.ts";
import type { DataRules } from "./data-rules.ts";
import type { Wire } from "./model.ts";
import type { NanoCredits } from "./money.ts";

const TASK_KINDS = [
  "chat",
  "text",
  "code",
  "analysis",
  "image",
  "audio",
  "transcription",
  "embedding",
  "multimodal",
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export interface Task {
  readonly kind: TaskKind;
  /** The client's own word for the task, in lower case with hyphens: matched against capabilities and specialties. */
  readonly word: string;
  /** Whether the word is a known alias. An unknown word is served by text models. */
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
  /** With `speed: fast`: a second model is called when the first takes longer than usual. */
  readonly hedge?: boolean | undefined;
  readonly providers?: ProviderPreferences | undefined;
  /** What may become of the data of this request, besides the rules of the account and the key. */
  readonly dataRules?: DataRules | undefined;
}

/** Which providers may serve a request. Names are in lower case. */
export interface ProviderPreferences {
  /** These come first, in this order. */
  readonly order: readonly string[];
  /** undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly ignore: readonly string[];
  /** Models with a higher price are left out; undefined fields have no bound. */
  readonly maxPrice:
    | {
        readonly inputPerMillion: bigint | undefined;
        readonly outputPerMillion: bigint | undefined;
        readonly perRequest: NanoCredits | undefined;
        readonly perImage: NanoCredits | undefined;
      }
    | undefined;
}

export type Scalar = string | number | boolean | null;

export interface Parameters {
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly size: string | undefined;
  readonly voice: string | undefined;
  readonly format: string | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  /** Strings that end the answer. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  /** How many answers; undefined: one. */
  readonly choices?: number | undefined;
  /** How many alternatives to return per token with their log probabilities; 0: only the token itself. */
  readonly logprobs?: number | undefined;
  readonly thinking?: Thinking | undefined;
  /** For embeddings. */
  readonly dimensions?: number | undefined;
  /** For embeddings: the inputs as tokens of the provider's, in place of texts. The texts are then as long, and say nothing. */
  readonly tokens?: readonly (readonly number[])[] | undefined;
  /** Speed of speech; 1 is normal. */
  readonly pace?: number | undefined;
  /** Passed to the provider unchanged. */
  readonly others: Readonly<Record<string, Scalar>>;
}

export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** How much a model should reason before it answers. */
export interface Thinking {
  readonly effort?: ReasoningEffort | undefined;
  /** Upper bound; 0: no reasoning. */
  readonly budgetTokens?: number | undefined;
}

/** Fields that only one wire format has: kept unchanged, for providers of that same format. */
export interface Extras {
  readonly wire: Wire;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The bounds of the response cache's options, in requests and keys. */
export const CACHE_TTL_SECONDS = { min: 1, max: 604_800 } as const;
export const CACHE_SIMILARITY = { min: 0.8, max: 1, default: 0.95 } as const;

/** How long an answer may be reused, and how similar another request must be for that. */
export interface CacheOptions {
  readonly ttlSeconds: number;
  /** The lowest similarity that counts as the same question, up to 1; undefined: only identical requests. */
  readonly similarity: number | undefined;
}

/** What an answer of a cascade must satisfy. It must never be empty. */
export interface AnswerCheck {
  /** A JSON schema for the answer, parsed as JSON. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** A regular expression that must match somewhere in the answer. */
  readonly pattern?: string | undefined;
  /** In characters. */
  readonly minLength?: number | undefined;
}

/** Words of a client's own by which it finds its requests again. */
export type Tags = Readonly<Record<string, string>>;

/** A validated request, independent of its wire format. */
export interface Inference {
  readonly task: Task;
  readonly conversation: Conversation;
  /** A model's name or `provider/name`; undefined: the service chooses. */
  readonly model: string | undefined;
  readonly fallbacks: readonly string[];
  /** Overrides the account's strategy for this request. */
  readonly strategy: Strategy | undefined;
  readonly preferences: Preferences;
  readonly parameters: Parameters;
  /** The client wants the answer as a stream. */
  readonly streaming: boolean;
  readonly extras?: Extras | undefined;
  /** The batch line that this request comes from. It may wait, and some providers charge less for that. */
  readonly batch?: { readonly id: string; readonly line: number } | undefined;
  /** Whether a cached answer may be used; false: never, whatever the key's setting; undefined: the key's setting. */
  readonly cache?: CacheOptions | false | undefined;
  /**
   * Requests of one session stay with one model while it can serve them, since its provider has cached their beginning.
   */
  readonly session?: string | undefined;
  /** The session was derived from another field: it is kept only while it is not much more expensive. */
  readonly sessionIsImplied?: boolean | undefined;
  /** false: when a provider fails in the middle of its answer, no other model continues it. */
  readonly continues?: boolean | undefined;
  /** The cheapest model is called first, and a better one if its answer fails this check; undefined: no cascade. */
  readonly cascade?: AnswerCheck | undefined;
  /** The account's preset that the request named as its model, and that has been applied. */
  readonly preset?: string | undefined;
  /** What the client says of the request, by names of its own. */
  readonly tags?: Tags | undefined;
  /** Request fields that were ignored, by their names in the wire format. */
  readonly dropped?: readonly string[] | undefined;
}

/** How much cost, speed and quality count in `hybrid`. They add up to 1. */
export interface StrategyWeights {
  readonly cost: number;
  readonly speed: number;
  readonly quality: number;
}

/** The default weights of `hybrid`. */
export const DEFAULT_WEIGHTS: StrategyWeights = { cost: 0.4, speed: 0.2, quality: 0.4 };

/** Thirds have no exact decimal form: a sum this close to 1 is accepted. */
const WEIGHTS_SUM_TOLERANCE = 0.011;
const WEIGHT_STEPS = 10_000;

/** Whether three numbers can be used as weights. */
export function areValidWeights({ cost, speed, quality }: StrategyWeights): boolean {
  return Math.min(cost, speed, quality) >= 0 && Math.abs(cost + speed + quality - 1) <= WEIGHTS_SUM_TOLERANCE;
}

/** Weights that add up to exactly 1, with four decimals each. */
export function normaliseWeights({ cost, speed, quality }: StrategyWeights): StrategyWeights {
  const sum = cost + speed + quality;
  const [ofCost, ofSpeed] = [Math.round((cost / sum) * WEIGHT_STEPS), Math.round((speed / sum) * WEIGHT_STEPS)];
  // Rounding up two weights may leave slightly less than 0 for the third.
  const ofQuality = Math.max(WEIGHT_STEPS - ofCost - ofSpeed, 0);
  return { cost: ofCost / WEIGHT_STEPS, speed: ofSpeed / WEIGHT_STEPS, quality: ofQuality / WEIGHT_STEPS };
}

/**
 * Ranking documents by a question: a task of the kind `embedding`, served by models that list this word. The first text of
 * the conversation is the question, and the answer has a vector with one number for each of the others.
 */
export const RERANK = "rerank";
export const RERANK_TASK: Task = { kind: "embedding", word: RERANK, known: true };

/**
 * Talking with a model over a WebSocket: a task of the kind `text`, served by models that list this word, and by those for
 * nothing else. A client's own word for a task is never this object.
 */
export const REALTIME = "realtime";
export const REALTIME_TASK: Task = { kind: "text", word: REALTIME, known: true };

/** Writing down in English what is said in any language. */
export const SPEECH_TRANSLATION = "speech-translation";

/** One object for each known word: routing recognises the task of an earlier request by it. */
const KNOWN_TASKS: ReadonlyMap<string, Task> = new Map(
  Object.entries({
    chat: ["chat"],
    text: ["text", "text-generation", "generate-text", "completion"],
    code: ["code", "coding", "code-generation"],
    analysis: ["analysis", "summarization", "classification", "extraction", "translation"],
    image: ["image", "image-generation"],
    audio: ["audio", "voice", "tts", "speech"],
    transcription: ["transcription", "speech-to-text", "stt", SPEECH_TRANSLATION],
    embedding: ["embedding", "embeddings"],
    multimodal: ["multimodal", "multi-modal", "vision"],
  } satisfies Record<TaskKind, string[]>).flatMap(([kind, words]) =>
    words.map((word) => [word, { kind: kind as TaskKind, word, known: true }] as const),
  ),
);

/** One spelling for words that differ only in case, `_`, `-` and spaces. */
function normaliseWord(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** The kind of task that a client's word stands for. An unknown word is a task for text models. */
export function normaliseTask(task: string): Task {
  const word = normaliseWord(task);
  return KNOWN_TASKS.get(word) ?? { kind: "text", word, known: false };
}

/** A request with this text, and defaults for everything else. */
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
