import type { BodyOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";
import { formatNumber } from "../../ui/format.ts";
import { type CheckDraft, type CheckField, findCheckMistakes } from "./answer-check.ts";
import { jsonObjectIn } from "./json-text.ts";
import type { PlaygroundSearch } from "./playground-search.ts";
import { findToolMistake } from "./tools.ts";

/** What comes back: each has models of its own. */
export const MODES = ["chat", "image", "speech"] as const;
export type Mode = (typeof MODES)[number];

export const ROUTES = ["auto", "cost-optimized", "speed-optimized", "quality-optimized", "hybrid", "cascade"] as const;
export type Route = (typeof ROUTES)[number];

/** A model that is asked, or how it is chosen. Up to four stand side by side. */
export interface Column {
  readonly id: string;
  /** A name, or `auto`. */
  readonly model: string;
  readonly route: Route;
}

type ChatFields = BodyOf<"POST /openai/v1/chat/completions">;
type Preferences = NonNullable<BodyOf<"POST /v1/generate">["preferences"]>;

export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const VERBOSITIES = ["low", "medium", "high"] as const;
export const TOOL_CHOICES = ["auto", "none", "required"] as const;
export const ANSWER_FORMS = ["text", "json", "schema"] as const;

/** Everything that can be set. */
export interface Settings {
  readonly mode: Mode;
  readonly system: string;
  readonly columns: readonly Column[];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly seed?: number | undefined;
  /** One sequence a line. */
  readonly stop?: string | undefined;
  readonly effort?: (typeof EFFORTS)[number] | undefined;
  readonly verbosity?: (typeof VERBOSITIES)[number] | undefined;
  /** Each the JSON of one function. */
  readonly tools: readonly string[];
  readonly toolChoice: (typeof TOOL_CHOICES)[number];
  readonly parallelCalls: boolean;
  readonly answerForm: (typeof ANSWER_FORMS)[number];
  /** JSON, where the answer has a schema. */
  readonly schema?: string | undefined;
  readonly size?: string | undefined;
  readonly voice?: string | undefined;
  readonly format?: string | undefined;
  readonly preferences: { readonly [Name in keyof Preferences]?: Preferences[Name] | undefined };
  readonly fallbacks: readonly string[];
  /** Of a cascade. */
  readonly check: CheckDraft;
  /** Requests of one session stay with one model. */
  readonly session?: string | undefined;
  /** A second model is asked where the first is slow. */
  readonly hedges: boolean;
  /** Another model goes on where one breaks off. */
  readonly continues: boolean;
}

export const AUTO: Column = { id: "first", model: "auto", route: "auto" };

export const FIRST_SETTINGS: Settings = {
  mode: "chat",
  system: "",
  columns: [AUTO],
  tools: [],
  toolChoice: "auto",
  parallelCalls: true,
  answerForm: "text",
  preferences: {},
  fallbacks: [],
  check: {},
  hedges: false,
  continues: true,
};

export type ChatMessage = ChatFields["messages"][number];

/** Whether a column asks for a cascade. */
export function hasCascade({ mode, columns }: Settings): boolean {
  return mode === "chat" && columns.some(({ route }) => route === "cascade");
}

type Compact<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without what was left open. */
export function compact<Fields extends object>(fields: Fields): Compact<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""),
  ) as Compact<Fields>;
}

export type Field =
  | CheckField
  | "maxTokens"
  | "temperature"
  | "topP"
  | "frequencyPenalty"
  | "presencePenalty"
  | "seed"
  | "stop"
  | "tools"
  | "schema"
  | "size"
  | "max_cost"
  | "max_latency_ms"
  | "min_quality";

const MOST_STOPS = 4;

/** The sequences at which an answer ends. */
export function stopsOf({ stop }: Settings): readonly string[] {
  return (stop ?? "").split("\n").filter((line) => line !== "");
}

/** What can't be sent as it is, by field. */
export function findMistakes(settings: Settings): Partial<Record<Field, string>> {
  const { mode, preferences } = settings;
  const found: Partial<Record<Field, string | undefined>> = {
    ...(mode === "chat" ? chatMistakes(settings) : {}),
    size:
      mode !== "image" || settings.size === undefined || isSize(settings.size)
        ? undefined
        : texts.playground.sizeMistake,
    max_cost: outside(preferences.max_cost, 0, 1_000_000),
    max_latency_ms: outside(preferences.max_latency_ms, 1, 3_600_000),
    min_quality: outside(preferences.min_quality, 0, 1),
    ...(hasCascade(settings) ? findCheckMistakes(settings.check) : {}),
  };
  return Object.fromEntries(Object.entries(found).filter(([, mistake]) => mistake !== undefined));
}

function chatMistakes(settings: Settings): Partial<Record<Field, string | undefined>> {
  const { answerForm, schema } = settings;
  return {
    maxTokens: outside(settings.maxTokens, 1, 1_000_000, true),
    temperature: outside(settings.temperature, 0, 2),
    topP: outside(settings.topP, 0, 1),
    frequencyPenalty: outside(settings.frequencyPenalty, -2, 2),
    presencePenalty: outside(settings.presencePenalty, -2, 2),
    seed: outside(settings.seed, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, true),
    stop: stopsOf(settings).length > MOST_STOPS ? texts.playground.stopMistake(MOST_STOPS) : undefined,
    tools: settings.tools.map((tool) => findToolMistake(tool)).find((mistake) => mistake !== undefined),
    schema: answerForm === "schema" && jsonObjectIn(schema) === undefined ? texts.playground.schemaMistake : undefined,
  };
}

function outside(value: number | undefined, low: number, high: number, isWhole = false): string | undefined {
  if (value === undefined) return undefined;
  if (value >= low && value <= high && (!isWhole || Number.isInteger(value))) return undefined;
  const { numberMistake, wholeNumberMistake } = texts.playground;
  return (isWhole ? wholeNumberMistake : numberMistake)(formatNumber(low), formatNumber(high));
}

function isSize(size: string): boolean {
  const sides = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  return sides !== null && [sides[1], sides[2]].every((side) => Number(side) >= 16 && Number(side) <= 8192);
}

const MODE_OF_TASK: Readonly<Record<string, Mode>> = {
  image: "image",
  "image-generation": "image",
  audio: "speech",
  voice: "speech",
  tts: "speech",
  speech: "speech",
};

/** The settings that were left here, with what the address asks for put over them. */
export function mergeSearch(kept: Settings, { model, against, task }: PlaygroundSearch): Settings {
  const [first = AUTO, second] = kept.columns;
  const kind = task === undefined ? undefined : (MODE_OF_TASK[task.toLowerCase()] ?? "chat");
  // A model is most likely one to chat with; where the catalogue says otherwise, the page follows it.
  const mode = kind ?? (model === undefined ? kept.mode : "chat");
  if (model === undefined && against === undefined) return { ...kept, mode };
  return {
    ...kept,
    mode,
    columns: [
      model === undefined ? first : { ...first, model },
      ...(against === undefined ? [] : [{ ...AUTO, ...second, id: second?.id ?? "second", model: against }]),
    ],
  };
}
