import type { BodyOf } from "@trunkline/sdk";
import { type CheckDraft, type CheckField, checkOf, findCheckMistakes } from "./answer-check.ts";
import type { PlaygroundSearch } from "./playground-search.ts";

/** The words that are offered for a task; any other may be typed. */
export const TASKS = [
  { value: "chat", label: "Chat" },
  { value: "text", label: "Text" },
  { value: "code", label: "Code" },
  { value: "summarization", label: "Summary" },
  { value: "analysis", label: "Analysis" },
  { value: "translation", label: "Translation" },
  { value: "image", label: "Image" },
  { value: "audio", label: "Speech" },
  { value: "multimodal", label: "Multimodal" },
] as const;

export const ROUTES = ["auto", "cost-optimized", "speed-optimized", "quality-optimized", "hybrid", "cascade"] as const;
export type Route = (typeof ROUTES)[number];

/** What one column asks for. */
export interface Side {
  /** A name, or `auto`. */
  readonly model: string;
  readonly route: Route;
}

type Preferences = NonNullable<BodyOf<"POST /v1/generate">["preferences"]>;
export type Attachment = NonNullable<BodyOf<"POST /v1/generate">["attachments"]>[number];

/** Everything that can be set, but what is attached. */
export interface Settings {
  readonly task: string;
  readonly input: string;
  readonly isSideBySide: boolean;
  readonly sides: readonly [Side, Side];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
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

const AUTO: Side = { model: "auto", route: "auto" };

export const FIRST_SETTINGS: Settings = {
  task: "chat",
  input: "",
  isSideBySide: false,
  sides: [AUTO, AUTO],
  preferences: {},
  fallbacks: [],
  check: {},
  hedges: false,
  continues: true,
};

/** What comes back decides where a request goes. */
export type Kind = "text" | "image" | "audio";

const KINDS: Readonly<Record<string, Kind>> = {
  image: "image",
  "image-generation": "image",
  audio: "audio",
  voice: "audio",
  tts: "audio",
  speech: "audio",
};

export function kindOf(task: string): Kind {
  const word = task
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "-");
  return (Object.hasOwn(KINDS, word) ? KINDS[word] : undefined) ?? "text";
}

/** Whether a task takes pictures, sound and files besides its text. */
export function takesAttachments(task: string): boolean {
  return /^(multi[\s_-]*modal|vision)$/i.test(task.trim());
}

/** What the routing preview is asked about. */
export type PreviewBody = BodyOf<"POST /v1/routing/preview">;

/** A request as one column sends it. */
export type SentRequest =
  | { readonly path: "/v1/stream"; readonly body: BodyOf<"POST /v1/stream"> }
  | { readonly path: "/v1/image"; readonly body: BodyOf<"POST /v1/image"> }
  | { readonly path: "/v1/audio"; readonly body: BodyOf<"POST /v1/audio"> };

export function requestOf(settings: Settings, side: Side, attachments: readonly Attachment[]): SentRequest {
  const { size, voice, format } = settings;
  const shared = sharedOf(settings, side);
  switch (kindOf(settings.task)) {
    case "image":
      return { path: "/v1/image", body: { ...shared, ...compact({ size }) } };
    case "audio":
      return { path: "/v1/audio", body: { ...shared, ...compact({ voice, format }) } };
    case "text":
      return {
        path: "/v1/stream",
        body: {
          task: settings.task,
          ...shared,
          ...textParameters(settings),
          ...wishesOf(settings, side),
          ...(takesAttachments(settings.task) && attachments.length > 0 ? { attachments } : {}),
        },
      };
  }
}

export function previewOf(settings: Settings, side: Side, attachments: readonly Attachment[]): PreviewBody {
  const { task, size, voice, format } = settings;
  const kind = kindOf(task);
  const own = kind === "image" ? compact({ size }) : kind === "audio" ? compact({ voice, format }) : {};
  return {
    task,
    ...sharedOf(settings, side),
    ...(kind === "text"
      ? { ...textParameters(settings), ...wishesOf(settings, side) }
      : Object.keys(own).length === 0
        ? {}
        : { parameters: own }),
    ...(takesAttachments(task) && attachments.length > 0 ? { attachments } : {}),
  };
}

function sharedOf({ task, input, preferences, fallbacks }: Settings, { model, route }: Side) {
  const wishes = compact(preferences);
  return {
    input,
    ...(model === "auto" ? {} : { model }),
    ...(route === "auto" || (route === "cascade" && kindOf(task) !== "text") ? {} : { route }),
    ...(Object.keys(wishes).length === 0 ? {} : { preferences: wishes }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
  };
}

function textParameters({ maxTokens, temperature }: Settings) {
  const parameters = compact({ max_tokens: maxTokens, temperature });
  return Object.keys(parameters).length === 0 ? {} : { parameters };
}

/** What only text takes: its session, a second model beside it or after it, and the check of a cascade. */
function wishesOf({ session, hedges, continues, check }: Settings, { route }: Side) {
  const asked = route === "cascade" ? checkOf(check) : undefined;
  return {
    ...compact({ session }),
    ...(hedges ? { hedge: true } : {}),
    ...(continues ? {} : { continue: false }),
    ...(asked === undefined ? {} : { check: asked }),
  };
}

/** Whether a column that is shown asks for a cascade. */
export function hasCascade({ task, sides, isSideBySide }: Settings): boolean {
  const shown = isSideBySide ? sides : sides.slice(0, 1);
  return kindOf(task) === "text" && shown.some(({ route }) => route === "cascade");
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
  | "task"
  | "maxTokens"
  | "temperature"
  | "size"
  | "max_cost"
  | "max_latency_ms"
  | "min_quality";

/** What can't be sent as it is, by field. */
export function findMistakes(settings: Settings): Partial<Record<Field, string>> {
  const { preferences } = settings;
  const found: Partial<Record<Field, string | undefined>> = {
    task: /^[A-Za-z0-9 _./-]{1,64}$/.test(settings.task)
      ? undefined
      : "Use 1 to 64 letters, digits, spaces and . _ / - only.",
    maxTokens: outside(settings.maxTokens, 1, 1_000_000, true),
    temperature: outside(settings.temperature, 0, 2),
    size:
      settings.size === undefined || isSize(settings.size) ? undefined : "Write it as 1024x1024, each side 16 to 8192.",
    max_cost: outside(preferences.max_cost, 0, 1_000_000),
    max_latency_ms: outside(preferences.max_latency_ms, 1, 3_600_000),
    min_quality: outside(preferences.min_quality, 0, 1),
    ...(hasCascade(settings) ? findCheckMistakes(settings.check) : {}),
  };
  return Object.fromEntries(Object.entries(found).filter(([, mistake]) => mistake !== undefined));
}

function outside(value: number | undefined, low: number, high: number, isWhole = false): string | undefined {
  if (value === undefined) return undefined;
  if (value >= low && value <= high && (!isWhole || Number.isInteger(value))) return undefined;
  return `Must be ${isWhole ? "a whole number " : ""}from ${low.toLocaleString("en-US")} to ${high.toLocaleString("en-US")}.`;
}

function isSize(size: string): boolean {
  const sides = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  return sides !== null && [sides[1], sides[2]].every((side) => Number(side) >= 16 && Number(side) <= 8192);
}

/** The settings that were left here, with what the address asks for put over them. */
export function mergeSearch(kept: Settings, { model, against, task }: PlaygroundSearch): Settings {
  const [first, second] = kept.sides;
  return {
    ...kept,
    ...(task === undefined ? {} : { task }),
    ...(against === undefined ? {} : { isSideBySide: true }),
    sides: [
      model === undefined ? first : { ...first, model },
      against === undefined ? second : { ...second, model: against },
    ],
  };
}
