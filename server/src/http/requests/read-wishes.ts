import { type Inference, type Preferences, STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import { fromCredits } from "@trunkline/core/money.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "./fields.ts";
import { readCacheOptions } from "./read-cache-wish.ts";
import { readAnswerCheck } from "./read-check.ts";

export const MODEL_NAME_MAX = 256;
const FALLBACKS_MAX = 16;
const SESSION_MAX = 256;

const STRATEGY_ALIASES: Readonly<Record<string, Strategy>> = {
  cost: "cost-optimized",
  speed: "speed-optimized",
  quality: "quality-optimized",
};

/** What a request wishes of those who serve it. */
type RoutingOptions = Pick<
  Inference,
  "strategy" | "preferences" | "fallbacks" | "cache" | "session" | "continues" | "cascade"
>;

const CASCADE = "cascade";

/**
 * What a body says, on whatever wire, of who should serve it, and whether with an answer that was given before. Only what
 * is answered in words can be checked by them.
 */
export function readRoutingOptions(fields: Fields, answeredInWords = true): RoutingOptions {
  const continues = readOptional(fields.continue, (value) => readBoolean(value, "continue"));
  return {
    ...readSession(fields),
    ...(continues === undefined ? {} : { continues }),
    ...readCascade(fields, answeredInWords),
    preferences: readPreferences(
      readOptional(fields.preferences, (value) => readObject(value, "preferences")) ?? {},
      fields.hedge,
    ),
    fallbacks: readOptional(fields.fallbacks, readFallbacks) ?? [],
    cache: readOptional(fields.cache, (value) => readCacheOptions(value)),
  };
}

/** Which session a request says it is of. */
function readSession(fields: Fields): Pick<Inference, "session"> {
  const session = readOptional(fields.session, (value) => readString(value, "session", 1, SESSION_MAX));
  return session === undefined ? {} : { session };
}

/** A cascade goes from the cheapest on, whatever else the account is used to. */
function readCascade(
  { route, check }: Fields,
  answeredInWords: boolean,
): Pick<RoutingOptions, "strategy" | "cascade"> {
  if (route !== CASCADE) {
    const strategy = readOptional(route, readRoute);
    if (check == null) return { strategy };
    throw invalidField("check", '`check` is for `"route": "cascade"` alone.');
  }
  if (!answeredInWords)
    throw invalidField("route", `\`route\` can be \`${CASCADE}\` only where the answer is made of words.`);
  return { strategy: "cost-optimized", cascade: readOptional(check, readAnswerCheck) ?? {} };
}

function readRoute(value: unknown): Strategy | undefined {
  if (value === "auto") return undefined;
  const short =
    typeof value === "string" && Object.hasOwn(STRATEGY_ALIASES, value) ? STRATEGY_ALIASES[value] : undefined;
  if (short !== undefined) return short;
  const strategy = STRATEGIES.find((known) => known === value);
  if (strategy === undefined) {
    throw invalidField(
      "route",
      `\`route\` must be one of: auto, ${[...STRATEGIES, ...Object.keys(STRATEGY_ALIASES), CASCADE].join(", ")}.`,
    );
  }
  return strategy;
}

function readPreferences(fields: Fields, hedgeOutside: unknown): Preferences {
  const hedge =
    readOptional(fields.hedge, (value) => readBoolean(value, "preferences.hedge")) ??
    readOptional(hedgeOutside, (value) => readBoolean(value, "hedge"));
  return {
    ...(hedge === undefined ? {} : { hedge }),
    speed: readOptional(fields.speed, (value) =>
      readChoice(value, "preferences.speed", ["fast", "balanced", "any"]),
    ),
    cost: readOptional(fields.cost, (value) =>
      readChoice(value, "preferences.cost", ["low", "balanced", "any"]),
    ),
    quality: readOptional(fields.quality, (value) =>
      readChoice(value, "preferences.quality", ["high", "balanced", "any"]),
    ),
    maxCost: readOptional(fields.max_cost, (value) => {
      const amount = fromCredits(readNumber(value, "preferences.max_cost", 0, 1_000_000));
      if (amount === undefined)
        throw invalidField("preferences.max_cost", "`preferences.max_cost` may have at most 9 decimals.");
      return amount;
    }),
    maxLatencyMs: readOptional(fields.max_latency_ms, (value) =>
      readNumber(value, "preferences.max_latency_ms", 1, 3_600_000),
    ),
    minQuality: readOptional(fields.min_quality, (value) =>
      readNumber(value, "preferences.min_quality", 0, 1),
    ),
  };
}

function readFallbacks(value: unknown): string[] {
  return readList(value, "fallbacks", FALLBACKS_MAX, (item, param) =>
    readString(item, param, 1, MODEL_NAME_MAX),
  );
}
