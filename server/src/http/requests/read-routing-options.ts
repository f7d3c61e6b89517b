import {
  type AnswerCheck,
  CACHE_SIMILARITY,
  CACHE_TTL_SECONDS,
  type CacheOptions,
  type Inference,
  type Preferences,
  STRATEGIES,
  type Strategy,
} from "@trunkline/core/inference.ts";
import { compilePattern, InvalidPattern, PATTERN_LENGTH_MAX } from "@trunkline/core/json-schema/linear-pattern.ts";
import { InvalidSchema, parseSchema } from "@trunkline/core/json-schema/parse-schema.ts";
import { fromCredits } from "@trunkline/core/money.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "./fields.ts";

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
function readCascade({ route, check }: Fields, answeredInWords: boolean): Pick<RoutingOptions, "strategy" | "cascade"> {
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
    speed: readOptional(fields.speed, (value) => readChoice(value, "preferences.speed", ["fast", "balanced", "any"])),
    cost: readOptional(fields.cost, (value) => readChoice(value, "preferences.cost", ["low", "balanced", "any"])),
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
    minQuality: readOptional(fields.min_quality, (value) => readNumber(value, "preferences.min_quality", 0, 1)),
  };
}

function readFallbacks(value: unknown): string[] {
  return readList(value, "fallbacks", FALLBACKS_MAX, (item, param) => readString(item, param, 1, MODEL_NAME_MAX));
}

export const CACHE_HEADER = "x-trunkline-cache";

/** What a body's `cache` asks for: `{ttl, similarity?}`, or `false` for an answer that is made anew. */
export function readCacheOptions(value: unknown, param = "cache"): CacheOptions | false {
  if (value === false) return false;
  const { ttl, similarity } = readObject(value, param);
  return {
    ttlSeconds: readInteger(ttl, `${param}.ttl`, CACHE_TTL_SECONDS.min, CACHE_TTL_SECONDS.max),
    similarity: readOptional(similarity, (given) => readSimilarity(given, `${param}.similarity`)),
  };
}

function readSimilarity(value: unknown, param: string): number | undefined {
  if (value === false) return undefined;
  if (value === true) return CACHE_SIMILARITY.default;
  return readNumber(value, param, CACHE_SIMILARITY.min, CACHE_SIMILARITY.max);
}

/** The same out of a header, for clients whose body has no place for it: `ttl=300, similarity=0.95`, or `off`. */
export function readCacheHeader(header: string): CacheOptions | false {
  if (/^\s*(off|false|no-cache)\s*$/i.test(header)) return false;
  const fields: Record<string, unknown> = {};
  for (const piece of header.split(/[,;]/)) {
    const [name, value] = piece.split("=", 2).map((side) => side.trim());
    if ((name !== "ttl" && name !== "similarity") || value === undefined || fields[name] !== undefined) {
      throw invalidField(
        CACHE_HEADER,
        `\`${CACHE_HEADER}\` must be \`off\` or like \`ttl=300\` or \`ttl=300, similarity=0.95\`.`,
      );
    }
    fields[name] = value === "true" ? true : /^[0-9.]+$/.test(value) ? Number(value) : value;
  }
  return readCacheOptions(fields, CACHE_HEADER);
}

const MIN_LENGTH_MAX = 1_000_000;
const CHECK_FIELDS = ["json_schema", "regex", "min_length", "non_empty"];

/** What an answer of a cascade must be like, or the first field of it that is wrong. */
function readAnswerCheck(value: unknown): AnswerCheck {
  const fields = readObject(value, "check");
  // A rule that is misspelt would be a rule that nobody checks.
  const unknown = Object.keys(fields).find((name) => !CHECK_FIELDS.includes(name));
  if (unknown !== undefined)
    throw invalidField(`check.${unknown}`, `\`check\` may hold these alone: ${CHECK_FIELDS.join(", ")}.`);
  readOptional(fields.non_empty, (given) => readBoolean(given, "check.non_empty"));
  return {
    ...optionalField("schema", readOptional(fields.json_schema, readJsonSchema)),
    ...optionalField("pattern", readOptional(fields.regex, readRegex)),
    ...optionalField(
      "minLength",
      readOptional(fields.min_length, (given) => readInteger(given, "check.min_length", 1, MIN_LENGTH_MAX)),
    ),
  };
}

function optionalField<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };
}

function readJsonSchema(value: unknown): Fields {
  const param = "check.json_schema";
  const schema = readObject(value, param);
  try {
    parseSchema(schema);
  } catch (error) {
    if (error instanceof InvalidSchema) throw invalidField(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return schema;
}

function readRegex(value: unknown): string {
  const param = "check.regex";
  const pattern = readString(value, param, 1, PATTERN_LENGTH_MAX);
  try {
    compilePattern(pattern);
  } catch (error) {
    if (error instanceof InvalidPattern) throw invalidField(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return pattern;
}
