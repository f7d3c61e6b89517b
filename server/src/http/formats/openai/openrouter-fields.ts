import { joinDataRules } from "@trunkline/core/data-rules.ts";
import type { Preferences, ProviderPreferences, Strategy, Thinking } from "@trunkline/core/inference.ts";
import { z } from "zod";
import {
  booleanField,
  choiceField,
  Field,
  fieldTable,
  integerField,
  listField,
  objectField,
  stringField,
} from "../../requests/field-table.ts";
import { type Fields, hasAnyOf, invalidField, readChoice, readObject } from "../../requests/fields.ts";
import { MAX_TOKENS_MAX } from "../../requests/read-inference.ts";
import { type RoutingOptions, readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { modelField } from "../shared-fields.ts";
import { effortField } from "./fields.ts";

const MODELS_MAX = 16;
const PROVIDERS_MAX = 64;
const PRICE_MAX_DOLLARS = 1_000_000;

const providerListField = listField(PROVIDERS_MAX, stringField(1, 128)).nullish();

const SORTS = ["price", "throughput", "latency", "exacto"] as const;

function readSort(value: unknown, param: string): Strategy | undefined {
  const by = typeof value === "object" && value !== null ? Reflect.get(value, "by") : value;
  if (by === undefined || by === null) return undefined;
  switch (readChoice(by, by === value ? param : `${param}.by`, SORTS)) {
    case "price":
      return "cost-optimized";
    case "exacto":
      return "quality-optimized";
    default:
      return "speed-optimized";
  }
}

const sortSchema = z.enum(SORTS);

/** Dollars, as a number or as its text. */
function readDollars(value: unknown, param: string): bigint {
  const dollars = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof dollars !== "number" || !(dollars >= 0 && dollars <= PRICE_MAX_DOLLARS))
    throw invalidField(param, `\`${param}\` must be an amount in dollars.`);
  return BigInt(Math.floor(dollars * 1e9));
}

const dollarsField = new Field(readDollars, z.union([z.number().min(0).max(PRICE_MAX_DOLLARS), z.string()])).nullish();

const maxPrice = fieldTable(
  {
    prompt: dollarsField.describe("Per million tokens."),
    completion: dollarsField.describe("Per million tokens."),
    request: dollarsField,
    image: dollarsField,
  },
  "provider.max_price",
);

const provider = fieldTable(
  {
    order: providerListField.describe("Providers to try first, in this order."),
    only: providerListField,
    ignore: providerListField,
    allow_fallbacks: booleanField().nullish().describe("With `order`: false leaves all other providers out."),
    sort: new Field(
      readSort,
      z.union([sortSchema, z.object({ by: sortSchema.nullish(), partition: z.enum(["model", "none"]).nullish() })]),
    ).nullish(),
    zdr: booleanField().nullish().describe("true: only providers that claim to keep no data."),
    data_collection: choiceField(["allow", "deny"])
      .nullish()
      .describe("deny: only providers that claim to keep no data."),
    max_price: objectField(maxPrice).nullish().describe("In dollars; models with a higher price are left out."),
  },
  "provider",
);

/** The fields with which OpenRouter's clients say which models and providers may serve a request. */
export const openRouterRoutingFields = {
  route: new Field(routingFields.route.read, routingFields.route.schema).describe(
    "As in our own API. OpenRouter's `fallback` is taken too, and changes nothing.",
  ),
  models: listField(MODELS_MAX, stringField(1, 256))
    .nullish()
    .describe("OpenRouter's: models to try next; the first is the model where `model` is left out."),
  provider: objectField({ schema: provider.schema.loose() }).nullish().describe("OpenRouter's choice of providers."),
};

const { read, names } = fieldTable(openRouterRoutingFields);

interface NamedModels {
  readonly model: string | undefined;
  /** Asked for by the model's name. */
  readonly strategy: Strategy | undefined;
  /** The names in `models` after the first model. */
  readonly fallbacks: readonly string[];
}

const NO_FALLBACKS: readonly string[] = [];

/** The models that a body names by `model`, or by OpenRouter's `models`. */
export function readNamedModels(fields: Fields): NamedModels {
  if (fields.models == null) {
    const { model, strategy } = modelField.read(fields.model, "model");
    return { model, strategy, fallbacks: NO_FALLBACKS };
  }
  const listed = read.models(fields) ?? [];
  const first = fields.model ?? listed[0];
  const others = listed.filter((name) => name !== first);
  const { model, strategy } = modelField.read(first, fields.model == null ? "models[0]" : "model");
  return { model, strategy, fallbacks: others.flatMap((name) => modelField.read(name, "models").model ?? []) };
}

interface ReadRouting {
  readonly routingOptions: RoutingOptions;
  readonly dropped: readonly string[];
}

const NOTHING_DROPPED: readonly string[] = [];

/** The routing options of a body in our own fields and in OpenRouter's. Ours count first. */
export function readRouting(fields: Fields, { fallbacks }: NamedModels): ReadRouting {
  if (!hasAnyOf(fields, names)) return { routingOptions: readRoutingOptions(fields), dropped: NOTHING_DROPPED };
  const own = readRoutingOptions(fields.route === "fallback" ? { ...fields, route: undefined } : fields);
  const given = read.provider(fields) ?? {};
  const sort = provider.read.sort(given);
  const providers = readProviders(given);
  const keepsNothing = provider.read.zdr(given) === true || provider.read.data_collection(given) === "deny";
  const dataRules = keepsNothing
    ? joinDataRules(own.preferences.dataRules, { regions: undefined, retentionDays: 0 })
    : own.preferences.dataRules;
  const preferences: Preferences =
    providers === undefined && !keepsNothing ? own.preferences : { ...own.preferences, providers, dataRules };
  return {
    routingOptions: {
      ...own,
      preferences,
      strategy: own.strategy ?? sort,
      fallbacks: fallbacks.length === 0 ? own.fallbacks : [...fallbacks, ...own.fallbacks],
    },
    dropped: droppedOf(given),
  };
}

function readProviders(given: Fields): ProviderPreferences | undefined {
  const order = toProviderNames(provider.read.order(given)) ?? [];
  const isClosed = provider.read.allow_fallbacks(given) === false && order.length > 0;
  const listed = toProviderNames(provider.read.only(given));
  const only = isClosed ? order.filter((name) => listed?.includes(name) !== false) : listed;
  const ignore = toProviderNames(provider.read.ignore(given)) ?? [];
  const prices = provider.read.max_price(given);
  if (order.length === 0 && only === undefined && ignore.length === 0 && prices === undefined) return undefined;
  return {
    order,
    only,
    ignore,
    maxPrice:
      prices === undefined
        ? undefined
        : {
            inputPerMillion: maxPrice.read.prompt(prices),
            outputPerMillion: maxPrice.read.completion(prices),
            perRequest: maxPrice.read.request(prices),
            perImage: maxPrice.read.image(prices),
          },
  };
}

/** A provider's name may be followed by one of its variants, such as `deepinfra/turbo`, which nothing is made of. */
function toProviderNames(slugs: readonly string[] | undefined): string[] | undefined {
  return slugs?.map((slug) => slug.replace(/\/.*$/s, "").toLowerCase());
}

/** Wishes that the service has no counterpart for. Some of their values mean the same as leaving them out. */
function droppedOf(given: Fields): readonly string[] {
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const hasOrder = Array.isArray(given.order) && given.order.length > 0;
    const isKept =
      name === "allow_fallbacks" ? value === true || hasOrder : READ_NAMES.has(name) || HARMLESS[name] === value;
    if (!isKept) dropped.push(`provider.${name}`);
  }
  return dropped;
}

const READ_NAMES = provider.names;
const HARMLESS: Readonly<Record<string, unknown>> = { require_parameters: false };

const reasoning = fieldTable(
  {
    effort: effortField,
    max_tokens: integerField(0, MAX_TOKENS_MAX).nullish(),
    enabled: booleanField().nullish(),
    exclude: booleanField().nullish().describe("true: the answer leaves out what the model thought."),
  },
  "reasoning",
);

/** OpenRouter's `reasoning`. */
export const openRouterReasoningField = objectField({ schema: reasoning.schema.loose() })
  .nullish()
  .describe("OpenRouter's: how much to think. What the model thought is then in `reasoning`.");

/** How much a request asks a model to think; undefined where it leaves that to the model. */
export function readReasoning(value: unknown): { thinking: Thinking | undefined; dropped: readonly string[] } {
  const given = readObject(value, "reasoning");
  const effort = reasoning.read.effort(given);
  const budgetTokens = reasoning.read.max_tokens(given);
  const isEnabled = reasoning.read.enabled(given);
  reasoning.read.exclude(given);
  const dropped = Object.keys(given).filter((name) => !reasoning.names.has(name) && given[name] !== null);
  return { thinking: toThinking(effort, budgetTokens, isEnabled), dropped: dropped.map((name) => `reasoning.${name}`) };
}

function toThinking(
  effort: Thinking["effort"],
  budgetTokens: number | undefined,
  isEnabled: boolean | undefined,
): Thinking | undefined {
  if (isEnabled === false) return { effort: "none" };
  if (effort !== undefined || budgetTokens !== undefined)
    return { ...(effort === undefined ? {} : { effort }), ...(budgetTokens === undefined ? {} : { budgetTokens }) };
  return isEnabled === true ? { effort: "medium" } : undefined;
}

/** Under which name an answer shows what the model thought; undefined: it leaves that out. */
export function reasoningNameFor(requestBody: unknown): "reasoning_content" | "reasoning" | undefined {
  if (typeof requestBody !== "object" || requestBody === null) return "reasoning_content";
  const asked: unknown = Reflect.get(requestBody, "reasoning");
  if (typeof asked !== "object" || asked === null) return "reasoning_content";
  return Reflect.get(asked, "exclude") === true ? undefined : "reasoning";
}
