import { type DataRules, RETENTION_DAYS_MAX, regionSchema } from "@trunkline/core/data-rules.ts";
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
import { fromCredits, type NanoCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import {
  booleanField,
  choiceField,
  Field,
  fieldTable,
  integerField,
  listField,
  numberField,
  objectField,
  stringField,
} from "./field-table.ts";
import { type Fields, hasAnyOf, invalidField, readNumber, readObject, readString } from "./fields.ts";
import { refuseMisspeltNames } from "./misspelt-field.ts";
import { tagsField } from "./read-tags.ts";

export const MODEL_NAME_MAX = 256;
const FALLBACKS_MAX = 16;
const SESSION_LENGTH_MAX = 256;
const MAX_COST_CREDITS = 1_000_000;
const MAX_LATENCY_MS = 3_600_000;
const MIN_LENGTH_MAX = 1_000_000;

const STRATEGY_ALIASES: Readonly<Record<string, Strategy>> = {
  cost: "cost-optimized",
  speed: "speed-optimized",
  quality: "quality-optimized",
};

const CASCADE = "cascade";
const ROUTES: readonly string[] = ["auto", ...STRATEGIES, ...Object.keys(STRATEGY_ALIASES), CASCADE];

function readRoute(value: unknown, param: string): Strategy | typeof CASCADE | undefined {
  if (value === "auto") return undefined;
  if (value === CASCADE) return CASCADE;
  const alias =
    typeof value === "string" && Object.hasOwn(STRATEGY_ALIASES, value) ? STRATEGY_ALIASES[value] : undefined;
  const strategy = alias ?? STRATEGIES.find((known) => known === value);
  if (strategy === undefined) throw invalidField(param, `\`${param}\` must be one of: ${ROUTES.join(", ")}.`);
  return strategy;
}

function readMaxCost(value: unknown, param: string): NanoCredits {
  const amount = fromCredits(readNumber(value, param, 0, MAX_COST_CREDITS));
  if (amount === undefined) throw invalidField(param, `\`${param}\` may have at most 9 decimals.`);
  return amount;
}

const REGIONS_MAX = 64;

function readRegion(value: unknown, param: string): string {
  const region = regionSchema.safeParse(value);
  if (region.success) return region.data;
  throw invalidField(param, `\`${param}\` must name countries by the two letters of ISO 3166, \`eu\` or \`eea\`.`);
}

const hedgeField = booleanField()
  .optional()
  .describe("With `speed: fast`: ask a second model where the first takes longer than usual.");

const preferences = fieldTable(
  {
    speed: choiceField(["fast", "balanced", "any"]).optional(),
    cost: choiceField(["low", "balanced", "any"]).optional(),
    quality: choiceField(["high", "balanced", "any"]).optional(),
    max_cost: new Field(readMaxCost, z.number().min(0).max(MAX_COST_CREDITS))
      .optional()
      .describe("The most this request may cost, in credits."),
    max_latency_ms: numberField(1, MAX_LATENCY_MS).optional(),
    min_quality: numberField(0, 1).optional(),
    hedge: hedgeField,
    data_regions: listField(REGIONS_MAX, new Field(readRegion, z.string().min(2).max(3)))
      .optional()
      .describe("Where the request may be processed: countries by ISO 3166, `eu` or `eea`."),
    data_retention_days: integerField(0, RETENTION_DAYS_MAX)
      .optional()
      .describe("For how many days a provider may keep its data; 0: not at all."),
  },
  "preferences",
);

function readJsonSchema(value: unknown, param: string): Fields {
  const schema = readObject(value, param);
  try {
    parseSchema(schema);
  } catch (error) {
    if (error instanceof InvalidSchema) throw invalidField(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return schema;
}

function readRegex(value: unknown, param: string): string {
  const pattern = readString(value, param, 1, PATTERN_LENGTH_MAX);
  try {
    compilePattern(pattern);
  } catch (error) {
    if (error instanceof InvalidPattern) throw invalidField(param, `\`${param}\` ${error.message}.`);
    throw error;
  }
  return pattern;
}

const answerCheck = fieldTable(
  {
    json_schema: new Field(readJsonSchema, z.record(z.string(), z.unknown()))
      .optional()
      .describe("The answer, read as JSON, must meet it. At most 64 KiB."),
    regex: new Field(readRegex, z.string().min(1).max(PATTERN_LENGTH_MAX))
      .optional()
      .describe("The answer must hold a match. RE2's syntax."),
    min_length: integerField(1, MIN_LENGTH_MAX).optional().describe("In characters."),
    non_empty: booleanField().optional().describe("Asked in any case."),
  },
  "check",
);

/** What an answer of a cascade must be like. */
function readAnswerCheck(value: unknown, param: string): AnswerCheck {
  const fields = readObject(value, param);
  // A misspelt rule would never be checked, and the client would not notice.
  const unknown = Object.keys(fields).find((name) => !answerCheck.names.has(name));
  if (unknown !== undefined)
    throw invalidField(`check.${unknown}`, `\`check\` may hold these alone: ${[...answerCheck.names].join(", ")}.`);
  // An empty answer fails in any case, so this field changes nothing.
  answerCheck.read.non_empty(fields);
  const schema = answerCheck.read.json_schema(fields);
  const pattern = answerCheck.read.regex(fields);
  const minLength = answerCheck.read.min_length(fields);
  return {
    ...(schema === undefined ? {} : { schema }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(minLength === undefined ? {} : { minLength }),
  };
}

function readSimilarity(value: unknown, param: string): number | undefined {
  if (value === false) return undefined;
  if (value === true) return CACHE_SIMILARITY.default;
  return readNumber(value, param, CACHE_SIMILARITY.min, CACHE_SIMILARITY.max);
}

const cacheFields = {
  ttl: integerField(CACHE_TTL_SECONDS.min, CACHE_TTL_SECONDS.max).describe("Seconds."),
  similarity: new Field(
    readSimilarity,
    z.union([z.number().min(CACHE_SIMILARITY.min).max(CACHE_SIMILARITY.max), z.boolean()]),
  )
    .optional()
    .describe(`How alike the last words must be; true: ${CACHE_SIMILARITY.default}.`),
};

/** What a body's `cache` asks for: `{ttl, similarity?}`, or `false` for an answer that no cache may give. */
export function readCacheOptions(value: unknown, param = "cache"): CacheOptions | false {
  if (value === false) return false;
  const { ttl, similarity } = readObject(value, param);
  return {
    ttlSeconds: cacheFields.ttl.read(ttl, `${param}.ttl`),
    similarity: cacheFields.similarity.read(similarity, `${param}.similarity`),
  };
}

/** The fields with which a body of any format says how its request is routed. */
export const routingFields = {
  route: new Field(readRoute, z.enum(ROUTES))
    .optional()
    .describe("`cascade`: the cheapest model first, and a better one where its answer fails `check`."),
  check: new Field(readAnswerCheck, answerCheck.schema)
    .optional()
    .describe("What an answer must be like; only with `route: cascade`."),
  preferences: objectField(preferences).optional(),
  fallbacks: listField(FALLBACKS_MAX, stringField(1, MODEL_NAME_MAX)).optional().describe("Models to try next."),
  session: stringField(1, SESSION_LENGTH_MAX)
    .optional()
    .describe("Requests of one session stay with one model while it serves them."),
  continue: booleanField()
    .optional()
    .describe("false: an answer that breaks off in the middle is not continued by another model."),
  hedge: hedgeField,
  cache: new Field(readCacheOptions, z.union([fieldTable(cacheFields).schema, z.literal(false)]))
    .optional()
    .describe("Whether the answer may be one that was given before, at no cost; false: never."),
  tags: tagsField,
};

const { read, names } = fieldTable(routingFields);

export type RoutingOptions = Required<
  Pick<Inference, "strategy" | "preferences" | "fallbacks" | "cache" | "session" | "continues" | "cascade" | "tags">
>;

const NO_PREFERENCES: Preferences = {
  hedge: undefined,
  speed: undefined,
  cost: undefined,
  quality: undefined,
  maxCost: undefined,
  maxLatencyMs: undefined,
  minQuality: undefined,
  providers: undefined,
  dataRules: undefined,
};

const NO_ROUTING_OPTIONS: RoutingOptions = {
  session: undefined,
  continues: undefined,
  strategy: undefined,
  cascade: undefined,
  preferences: NO_PREFERENCES,
  fallbacks: [],
  cache: undefined,
  tags: undefined,
};

/** Reads the routing fields of a body. A cascade compares texts, so it needs an operation that answers in text. */
export function readRoutingOptions(fields: Fields, answersInText = true): RoutingOptions {
  if (!hasAnyOf(fields, names)) return NO_ROUTING_OPTIONS;
  const continues = read.continue(fields);
  const session = read.session(fields);
  const { strategy, cascade } = readRouteAndCheck(fields, answersInText);
  return {
    session,
    continues,
    strategy,
    cascade,
    preferences: readPreferences(fields),
    fallbacks: read.fallbacks(fields) ?? [],
    cache: read.cache(fields),
    tags: read.tags(fields),
  };
}

/** A cascade starts at the cheapest model, whatever strategy the account has set. */
function readRouteAndCheck(fields: Fields, answersInText: boolean): Pick<RoutingOptions, "strategy" | "cascade"> {
  const route = read.route(fields);
  if (route !== CASCADE) {
    if (fields.check == null) return { strategy: route, cascade: undefined };
    throw invalidField("check", '`check` is for `"route": "cascade"` alone.');
  }
  if (!answersInText)
    throw invalidField("route", `\`route\` can be \`${CASCADE}\` only where the answer is made of words.`);
  return { strategy: "cost-optimized", cascade: read.check(fields) ?? {} };
}

function readPreferences(body: Fields): Preferences {
  const fields = read.preferences(body) ?? {};
  refuseMisspeltNames(fields, preferences.names, "preferences");
  const hedge = preferences.read.hedge(fields) ?? read.hedge(body);
  return {
    hedge,
    speed: preferences.read.speed(fields),
    cost: preferences.read.cost(fields),
    quality: preferences.read.quality(fields),
    maxCost: preferences.read.max_cost(fields),
    maxLatencyMs: preferences.read.max_latency_ms(fields),
    minQuality: preferences.read.min_quality(fields),
    providers: undefined,
    dataRules: dataRulesOf(preferences.read.data_regions(fields), preferences.read.data_retention_days(fields)),
  };
}

function dataRulesOf(regions: readonly string[] | undefined, retentionDays: number | undefined): DataRules | undefined {
  if (regions?.length === 0)
    throw invalidField("preferences.data_regions", "`preferences.data_regions` must name a region, or be left out.");
  return regions === undefined && retentionDays === undefined ? undefined : { regions, retentionDays };
}

export const DATA_HEADER = "x-trunkline-data";

/** The same from a header, for formats without the field: `regions=eu de; retention=0`. */
export function readDataHeader(header: string): DataRules {
  const rules: { regions?: readonly string[]; retentionDays?: number } = {};
  for (const piece of header.split(/[,;]/)) {
    const [name, value = ""] = piece.split("=", 2).map((side) => side.trim());
    if (name === "regions" && value !== "" && rules.regions === undefined)
      rules.regions = value.split(/\s+/).map((region) => readRegion(region, DATA_HEADER));
    else if (name === "retention" && /^\d{1,5}$/.test(value) && rules.retentionDays === undefined)
      rules.retentionDays = Number(value);
    else
      throw invalidField(
        DATA_HEADER,
        `\`${DATA_HEADER}\` must be like \`regions=eu\`, \`retention=0\` or \`regions=de fr; retention=30\`.`,
      );
  }
  return { regions: rules.regions, retentionDays: rules.retentionDays };
}

export const CACHE_HEADER = "x-trunkline-cache";

/** The same from a header, for clients that can't add a field to the body: `ttl=300, similarity=0.95`, or `off`. */
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
