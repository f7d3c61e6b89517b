import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { isCalledByBareName, isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import { invalidCursorFault, pageQuery, pageResponseSchema, toPage } from "../../responses/list-response.ts";
import {
  isListed,
  listedOfferSchema,
  listModelsFor,
  type ModelOffer,
  modelTypeSchema,
  offerDetailSchema,
  qualityPredictor,
  toAvailability,
  toAvailabilityDetail,
  toModelOffer,
} from "../../responses/model-offer.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

/** The orders of a list of models. */
const MODEL_SORTS = ["name", "price", "quality", "latency", "throughput", "newest"] as const;
type ModelSort = (typeof MODEL_SORTS)[number];

/** The share of input in the tokens of a typical request, by which the two prices are blended. */
const INPUT_SHARE = 0.75;

/** The smaller rank comes first. undefined: nothing is known, so the offer comes last. */
const SORT_RANKS: Readonly<Record<ModelSort, (offer: ModelOffer) => number | undefined>> = {
  name: () => 0,
  price: blendedPrice,
  quality: ({ performance }) => negated(performance.predicted_quality ?? performance.accuracy_score),
  latency: ({ live, performance }) => live.latency_ms ?? performance.avg_latency_ms ?? undefined,
  throughput: ({ live }) => negated(live.tokens_per_second),
  newest: ({ created_at }) => negated(created_at === null ? null : Date.parse(created_at)),
};

/** The position of an offer in a list: its rank, then its name, which is unique. */
type SortPosition = readonly [rank: number | null, name: string];

/** An offer with the id of its model. */
interface OfferEntry {
  readonly id: string;
  readonly offer: ModelOffer;
}

function sortOffers(offerEntries: readonly OfferEntry[], sort: ModelSort): OfferEntry[] {
  return offerEntries
    .map((offerEntry) => ({ entry: offerEntry, place: positionOf(offerEntry, sort) }))
    .sort((one, other) => comparePositions(one.place, other.place))
    .map(({ entry: offerEntry }) => offerEntry);
}

/** The offers after a cursor's position, even where the offer at that position is gone or has moved. */
function offersAfter(sorted: readonly OfferEntry[], sort: ModelSort, cursor: string): OfferEntry[] {
  const sortPosition = parseOfferCursor(cursor);
  return sorted.filter((offerEntry) => comparePositions(positionOf(offerEntry, sort), sortPosition) > 0);
}

/** The position of an entry, as an opaque text that clients send back. */
function offerCursor(offerEntry: OfferEntry, sort: ModelSort): string {
  return Buffer.from(JSON.stringify(positionOf(offerEntry, sort))).toString("base64url");
}

/** The price of a thousand tokens, three quarters of them input, plus the prices by image, request and second. */
function blendedPrice({ pricing }: ModelOffer): number {
  const tokens = pricing.input_per_1k_tokens * INPUT_SHARE + pricing.output_per_1k_tokens * (1 - INPUT_SHARE);
  return tokens + pricing.per_image + pricing.per_request + pricing.per_second;
}

function negated(value: number | null): number | undefined {
  return value === null ? undefined : -value;
}

function positionOf({ offer }: OfferEntry, sort: ModelSort): SortPosition {
  return [SORT_RANKS[sort](offer) ?? null, offer.full_name];
}

function comparePositions([rank, name]: SortPosition, [otherRank, otherName]: SortPosition): number {
  if (rank === otherRank) return name < otherName ? -1 : Number(name > otherName);
  if (rank === null || otherRank === null) return rank === null ? 1 : -1;
  return rank - otherRank;
}

const positionSchema = z.tuple([z.number().nullable(), z.string()]);

function parseOfferCursor(cursor: string): SortPosition {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    // A text that holds no position is not a cursor of this service.
    throw invalidCursorFault();
  }
}

const listModels = controlEndpoint({
  method: "GET",
  path: "/v1/models",
  permission: "models.read",
  status: 200,
  tag: "Models",
  summary: "List models",
  description:
    "One entry a name. A model that another account than the operator's registered is listed as `provider/name`, unless the account's settings allow `third_party_models`.",
  faults: [],
  query: z.object({
    type: modelTypeSchema.optional(),
    capability: z.string().optional(),
    provider: z.string().optional(),
  }),
  response: z.array(z.object({ name: z.string(), type: modelTypeSchema })),
  async handle({ services, caller, query }) {
    const listed = new Map<string, { name: string; type: string }>();
    for (const model of listModelsFor(services, caller)) {
      // What is listed can be sent as `model`.
      const name = isCalledByBareName(model, caller) ? model.name : fullNameOf(model);
      if (listed.has(name)) continue;
      if (query.type !== undefined && model.type !== query.type) continue;
      if (query.provider !== undefined && model.provider !== query.provider) continue;
      if (query.capability !== undefined && !model.capabilities.includes(query.capability.toLowerCase())) continue;
      listed.set(name, { name, type: model.type });
    }
    return [...listed.values()];
  },
});

const readModel = controlEndpoint({
  method: "GET",
  // A wildcard, since a name can be `provider/name`.
  path: "/v1/models/*",
  permission: "models.read",
  status: 200,
  tag: "Models",
  summary: "Everything public about a model",
  faults: ["model_not_found"],
  response: z.object({ name: z.string(), type: modelTypeSchema, providers: z.array(offerDetailSchema) }),
  async handle({ services, caller, params }) {
    const name = params["*"] ?? "";
    const models = services.providers.providerKeys
      .catalogueFor(caller)
      .byName(name)
      .filter((model) => isVisible(model, caller))
      .filter(isListed);
    const first = models[0];
    if (first === undefined) {
      throw new Fault(
        "model_not_found",
        `There is no model "${truncateText(name, 128)}". List them with GET /v1/models.`,
        { param: "name" },
      );
    }
    const day = await services.providers.endpointStats.lastDayByQuarterHour(models.map(({ id }) => id));
    const predictQuality = qualityPredictor(services, caller.accountId);
    const providers = models.map((model) => ({
      ...toModelOffer(services, model, day, predictQuality),
      availability: day.bucketsOf(model.id).map(toAvailabilityDetail),
    }));
    return { name: first.name, type: first.type, providers };
  },
});

export const modelEndpoints: readonly Endpoint[] = [listModels, readModel];

const catalogueQuery = pageQuery.extend({
  q: z.string().max(256).optional().describe("Words that must all be found in the name, description or abilities."),
  type: modelTypeSchema.optional(),
  capability: z.string().optional(),
  provider: z.string().optional(),
  sort: z.enum(MODEL_SORTS).default("name"),
});

const readCatalogue = controlEndpoint({
  method: "GET",
  path: "/v1/catalogue",
  permission: "models.read",
  status: 200,
  tag: "Models",
  summary: "Every model of every provider, with price, speed and availability",
  faults: [],
  query: catalogueQuery,
  response: pageResponseSchema(listedOfferSchema),
  async handle({ services, caller, query }) {
    const day = await services.providers.endpointStats.lastDayByHour();
    const predictQuality = qualityPredictor(services, caller.accountId);
    const wanted = listModelsFor(services, caller).filter(matchesQuery(query));
    const sorted = sortOffers(
      wanted.map((model) => ({ id: model.id, offer: toModelOffer(services, model, day, predictQuality) })),
      query.sort,
    );
    const rest = query.cursor === undefined ? sorted : offersAfter(sorted, query.sort, query.cursor);
    return toPage(
      rest,
      query.limit,
      ({ id, offer }) => ({ ...offer, availability: day.bucketsOf(id).map(toAvailability) }),
      (last) => offerCursor(last, query.sort),
    );
  },
});

/** The offers that a query asks for. */
function matchesQuery({ q = "", type, capability, provider }: z.output<typeof catalogueQuery>) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return (model: Model): boolean => {
    if (type !== undefined && model.type !== type) return false;
    if (provider !== undefined && model.provider !== provider) return false;
    if (capability !== undefined && !model.capabilities.includes(capability.toLowerCase())) return false;
    const text = [fullNameOf(model), model.description, ...model.capabilities, ...model.specialties]
      .join("\n")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

export const catalogueEndpoints: readonly Endpoint[] = [readCatalogue];
