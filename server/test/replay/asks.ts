import { pickRandom, type Random } from "@trunkline/core/random.ts";
import type { CallerName } from "./setting.ts";
import { SYSTEM_PROMPTS, type TextKind, writeSentences, writeText } from "./texts.ts";

/** A request in no particular format: what a client wants. */
export interface Ask {
  readonly caller: CallerName;
  readonly text: string;
  readonly system: string | undefined;
  /** Earlier turns, the user's first. */
  readonly history: readonly string[];
  /** What a tool answered, as the last thing before the model speaks. */
  readonly toolResult: string | undefined;
  readonly tools: "auto" | "required" | "named" | "none" | undefined;
  readonly form: "json" | "schema" | undefined;
  readonly choices: number | undefined;
  readonly stop: readonly string[] | undefined;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly seed: number | undefined;
  readonly effort: "low" | "high" | undefined;
  /** undefined: the service chooses. */
  readonly model: string | undefined;
  /** Fields that are the same in every format. */
  readonly routing: Readonly<Record<string, unknown>>;
  readonly streaming: boolean;
  readonly idempotencyKey: string | undefined;
  /** The features in words. */
  readonly words: readonly string[];
}

const CALLER_SHARES: readonly (readonly [CallerName, number])[] = [
  ["main", 40],
  ["quality", 8],
  ["frozen", 6],
  ["redacting", 9],
  ["unrestored", 4],
  ["strict", 7],
  ["dry", 4],
  ["cached", 6],
  ["budget", 4],
  ["poor", 3],
  ["narrow", 5],
  ["reader", 1],
  ["nobody", 1],
];

const TEXT_SHARES: readonly (readonly [TextKind, number])[] = [
  ["plain", 34],
  ["code", 8],
  ["reasoning", 7],
  ["language", 11],
  ["odd", 6],
  ["private", 13],
  ["injection", 6],
  ["unsafe", 5],
  ["long", 6],
];

function pickByShare<Value>(random: Random, shares: readonly (readonly [Value, number])[]): Value {
  let left = random() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [value, share] of shares) {
    left -= share;
    if (left < 0) return value;
  }
  throw new Error("There are no shares.");
}

const MODELS: readonly [string, ...string[]] = [
  "north/spruce-mini",
  "spruce",
  "spruce-pro",
  "shared",
  "coral-small",
  "south/coral-large",
  "flaky",
  "dune",
  "dune-xl",
  "stone",
  "west/dead",
  "east/refusing",
  "west/slow",
  "rare",
];

/** What a client wants, with features drawn at random. `place` makes names that no other request has. */
export function writeAsk(random: Random, place: number): Ask {
  const has = (share: number) => random() < share;
  const kind = pickByShare(random, TEXT_SHARES);
  const caller = pickByShare(random, CALLER_SHARES);
  const system = has(0.35) ? pickRandom(random, SYSTEM_PROMPTS) : undefined;
  const history = has(0.2) ? writeHistory(random) : [];
  const tools = has(0.12) ? pickRandom(random, ["auto", "auto", "required", "named", "none"] as const) : undefined;
  const toolResult =
    tools !== undefined && has(0.4)
      ? writeText(random, pickRandom(random, ["plain", "injection", "private", "odd"] as const))
      : undefined;
  const form = tools === undefined && has(0.1) ? pickRandom(random, ["json", "schema"] as const) : undefined;
  const model = has(0.4) ? pickRandom(random, MODELS) : undefined;
  const routing = writeRouting(random, place, model !== undefined);
  const ask: Omit<Ask, "words"> = {
    caller,
    text: writeText(random, kind),
    system,
    history,
    toolResult,
    tools,
    form,
    choices: has(0.06) ? 2 + Math.floor(random() * 2) : undefined,
    stop: has(0.08) ? pickRandom(random, [["."], ["END", "\n\n"], ["harbour"]]) : undefined,
    maxTokens: has(0.5) ? pickRandom(random, [1, 16, 30, 100, 256, 1_000, 3_000]) : undefined,
    temperature: has(0.2) ? pickRandom(random, [0, 0.7, 1, 2]) : undefined,
    seed: has(0.05) ? 42 : undefined,
    effort: has(0.05) ? pickRandom(random, ["low", "high"] as const) : undefined,
    model,
    routing,
    streaming: has(0.35),
    idempotencyKey: has(0.06) ? `key-${place}` : undefined,
  };
  return { ...ask, words: describe(ask, kind) };
}

function writeHistory(random: Random): string[] {
  const turns = 1 + Math.floor(random() * 3);
  return Array.from({ length: turns }, () => [
    writeText(random, pickRandom(random, ["plain", "plain", "language", "private"] as const)),
    writeSentences(random, 2),
  ]).flat();
}

const CITY_SCHEMA = {
  type: "object",
  required: ["city"],
  properties: { city: { type: "string", pattern: "^[A-Z]" }, year: { type: "integer" } },
};

/** The routing fields: strategies, bounds, fallbacks, sessions, cascades and caching. */
function writeRouting(random: Random, place: number, isNamed: boolean): Record<string, unknown> {
  const has = (share: number) => random() < share;
  const fields: Record<string, unknown> = {};
  if (has(0.08)) {
    fields.route = "cascade";
    if (has(0.8))
      fields.check = pickRandom<Record<string, unknown>>(random, [
        { json_schema: CITY_SCHEMA },
        { regex: "harbour|Paris|bread" },
        { min_length: 120 },
        { min_length: 20, regex: "^[A-Z]" },
        { non_empty: true },
      ]);
  } else if (has(0.5))
    fields.route = pickRandom(random, [
      "cost",
      "speed",
      "quality",
      "hybrid",
      "cost-optimized",
      "speed-optimized",
      "quality-optimized",
      "auto",
    ]);
  const preferences: Record<string, unknown> = {};
  if (has(0.08)) preferences.max_cost = pickRandom(random, isNamed ? [0, 0.000_01, 0.000_5] : [0, 0.000_5, 0.01, 1]);
  if (has(0.06)) preferences.max_latency_ms = pickRandom(random, isNamed ? [1, 150, 800] : [150, 800, 5_000]);
  if (has(0.07)) preferences.min_quality = pickRandom(random, isNamed ? [0.3, 0.6, 0.99] : [0.3, 0.5, 0.6, 0.7]);
  if (has(0.05)) preferences.speed = pickRandom(random, ["fast", "balanced", "any"]);
  if (has(0.05)) preferences.cost = pickRandom(random, ["low", "balanced", "any"]);
  if (has(0.05)) preferences.quality = pickRandom(random, ["high", "balanced", "any"]);
  if (Object.keys(preferences).length > 0) fields.preferences = preferences;
  if (has(0.1)) fields.fallbacks = [pickRandom(random, MODELS), pickRandom(random, MODELS)];
  if (has(0.1)) fields.session = `session ${place % 7}`;
  if (has(0.06)) fields.continue = has(0.5);
  if (has(0.07))
    fields.cache = pickRandom<unknown>(random, [
      { ttl: 60 },
      { ttl: 3_600, similarity: 0.85 },
      { ttl: 3_600, similarity: true },
      false,
    ]);
  return fields;
}

/** The features of a request, for its label. */
function describe(ask: Omit<Ask, "words">, kind: TextKind): string[] {
  const preferences = Object.keys((ask.routing.preferences as object | undefined) ?? {});
  const named = ask.model === undefined ? [] : [`model=${ask.model}`];
  const present: readonly (readonly [unknown, string])[] = [
    [ask.system, "system"],
    [ask.history.length > 0 || undefined, "history"],
    [ask.tools, `tools=${ask.tools}`],
    [ask.toolResult, "tool-result"],
    [ask.form, `form=${ask.form}`],
    [ask.choices, `n=${ask.choices}`],
    [ask.stop, "stop"],
    [ask.routing.route, `route=${String(ask.routing.route)}`],
    [ask.routing.fallbacks, "fallbacks"],
    [ask.routing.session, "session"],
    [ask.routing.continue, "continue"],
    [ask.routing.cache, "cache"],
    [ask.idempotencyKey, "idempotent"],
  ];
  return [
    ask.caller,
    kind,
    ...named,
    ...present.flatMap(([value, word]) => (value === undefined ? [] : [word])),
    ...preferences,
  ];
}
