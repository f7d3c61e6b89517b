import { type Conversation, conversationOf } from "./conversation.ts";
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
  /** With `speed: fast`: a second model is asked where the first takes longer than it usually does. */
  readonly hedge?: boolean | undefined;
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
  /** Words that end the answer. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  /** How many answers; undefined: one. */
  readonly choices?: number | undefined;
  /** How many alternatives to each word are told with how likely they were; 0: the word alone. */
  readonly logprobs?: number | undefined;
  readonly thinking?: Thinking | undefined;
  /** Of an embedding. */
  readonly dimensions?: number | undefined;
  /** Of speech, 1 as usual. */
  readonly pace?: number | undefined;
  /** Passed to the provider as they are. */
  readonly others: Readonly<Record<string, Scalar>>;
}

export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** How much a model should think before it answers. */
export interface Thinking {
  readonly effort?: ReasoningEffort | undefined;
  /** At most so many tokens; 0: not at all. */
  readonly budgetTokens?: number | undefined;
}

/** Fields that only one wire format knows: kept as they came, and of use to a provider of that very format. */
export interface Extras {
  readonly wire: Wire;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** For how long an answer may be given again at most, and what counts as alike at the very least. */
export const CACHE_TTL_SECONDS = { min: 1, max: 604_800 } as const;
export const CACHE_SIMILARITY = { min: 0.8, max: 1, default: 0.95 } as const;

/** For how long an answer may be given again, and how alike two requests must be for that. */
export interface CacheOptions {
  readonly ttlSeconds: number;
  /** undefined: exactly alike. Up to 1: the least likeness that counts as the same question. */
  readonly similarity: number | undefined;
}

/** What an answer of a cascade must be like. That it is not empty is always asked. */
export interface AnswerCheck {
  /** A JSON schema that the answer, read as JSON, must meet. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** A regular expression of which the answer must hold a match. */
  readonly pattern?: string | undefined;
  /** In characters. */
  readonly minLength?: number | undefined;
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
  readonly extras?: Extras | undefined;
  /** Of which batch it is a line: it may wait, and some providers take less for that. */
  readonly batch?: { readonly id: string; readonly line: number } | undefined;
  /** Whether the answer may be one that was given before; false: never, whatever the key says; undefined: as the key says. */
  readonly cache?: CacheOptions | false | undefined;
  /** Requests of one session stay with one model while it serves them, as its provider has their beginning in its cache. */
  readonly session?: string | undefined;
  /** The session is read off another field: it holds only as long as it is not much dearer. */
  readonly sessionIsImplied?: boolean | undefined;
  /** false: where a provider dies in the middle of its answer, no other model goes on with it. */
  readonly continues?: boolean | undefined;
  /** The cheapest model is asked first, and a better one where its answer fails this check; undefined: no cascade. */
  readonly cascade?: AnswerCheck | undefined;
  /** The fields of the request that nothing was made of, by their names on its wire. */
  readonly dropped?: readonly string[] | undefined;
}

/** How much cost, speed and quality count against one another in `hybrid`. Together they are 1. */
export interface StrategyWeights {
  readonly cost: number;
  readonly speed: number;
  readonly quality: number;
}

/** What `hybrid` weighs where an account says nothing: cost against performance, which is quality and speed. */
export const DEFAULT_WEIGHTS: StrategyWeights = { cost: 0.4, speed: 0.2, quality: 0.4 };

/** Thirds can't be written exactly: what is this near to 1 is taken for it. */
const WEIGHTS_SUM_TOLERANCE = 0.011;
const WEIGHT_STEPS = 10_000;

/** Whether three numbers are meant to be weights. */
export function areValidWeights({ cost, speed, quality }: StrategyWeights): boolean {
  return Math.min(cost, speed, quality) >= 0 && Math.abs(cost + speed + quality - 1) <= WEIGHTS_SUM_TOLERANCE;
}

/** Weights that are exactly 1 together, with four decimals each. */
export function normaliseWeights({ cost, speed, quality }: StrategyWeights): StrategyWeights {
  const sum = cost + speed + quality;
  const [ofCost, ofSpeed] = [Math.round((cost / sum) * WEIGHT_STEPS), Math.round((speed / sum) * WEIGHT_STEPS)];
  // Two that are rounded up may leave a hair less than nothing.
  const ofQuality = Math.max(WEIGHT_STEPS - ofCost - ofSpeed, 0);
  return { cost: ofCost / WEIGHT_STEPS, speed: ofSpeed / WEIGHT_STEPS, quality: ofQuality / WEIGHT_STEPS };
}

const KIND_OF_WORD: ReadonlyMap<string, TaskKind> = new Map(
  Object.entries({
    chat: ["chat"],
    text: ["text", "text-generation", "generate-text", "completion"],
    code: ["code", "coding", "code-generation"],
    analysis: ["analysis", "summarization", "classification", "extraction", "translation"],
    image: ["image", "image-generation"],
    audio: ["audio", "voice", "tts", "speech"],
    transcription: ["transcription", "speech-to-text", "stt"],
    embedding: ["embedding", "embeddings"],
    multimodal: ["multimodal", "multi-modal", "vision"],
  } satisfies Record<TaskKind, string[]>).flatMap(([kind, words]) =>
    words.map((word) => [word, kind as TaskKind] as const),
  ),
);

/** One spelling for a word that people write in many: case, `_`, `-` and spaces are alike. */
function normaliseWord(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** The kind of work that a client's own word stands for. A word nobody knows is work for a text model. */
export function normaliseTask(task: string): Task {
  const word = normaliseWord(task);
  const kind = KIND_OF_WORD.get(word);
  return { kind: kind ?? "text", word, known: kind !== undefined };
}

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
