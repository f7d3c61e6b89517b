import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { z } from "zod";
import { pageQuery, pageResponseSchema, toPage } from "../../responses/list-page.ts";
import {
  listedOfferSchema,
  listModelsFor,
  modelTypeSchema,
  toAvailability,
  toModelOffer,
} from "../../responses/model-offer.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { MODEL_SORTS, offerCursor, offersAfter, sortOffers } from "./sort-offers.ts";

const catalogueQuery = pageQuery.extend({
  q: z
    .string()
    .max(256)
    .optional()
    .describe("Words that must all be found in the name, description or abilities."),
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
    const day = await services.endpointStats.lastDayByHour();
    const wanted = listModelsFor(services, caller).filter(matchesQuery(query));
    const sorted = sortOffers(
      wanted.map((model) => ({ id: model.id, offer: toModelOffer(services, model, day) })),
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

/** Which models a query asks for. */
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
