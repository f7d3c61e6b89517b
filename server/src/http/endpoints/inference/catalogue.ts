import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { z } from "zod";
import { cutPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import {
  listedFor,
  listedOffer,
  modelType,
  offerToWire,
  stretchToWire,
} from "../../responses/model-offer.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { cursorOf, offersAfter, SORTS, sortOffers } from "./sort-offers.ts";

const catalogueQuery = pageQuery.extend({
  q: z
    .string()
    .max(256)
    .optional()
    .describe("Words that must all be found in the name, description or abilities."),
  type: modelType.optional(),
  capability: z.string().optional(),
  provider: z.string().optional(),
  sort: z.enum(SORTS).default("name"),
});

const readCatalogue = control({
  method: "GET",
  path: "/v1/catalogue",
  power: "models.read",
  status: 200,
  tag: "Models",
  summary: "Every model of every provider, with price, speed and availability",
  faults: [],
  query: catalogueQuery,
  answer: pageOf(listedOffer),
  async handle({ house, caller, query }) {
    const day = await house.board.hours();
    const wanted = listedFor(house, caller).filter(wantedBy(query));
    const sorted = sortOffers(
      wanted.map((model) => ({ id: model.id, offer: offerToWire(house, model, day) })),
      query.sort,
    );
    const rest = query.cursor === undefined ? sorted : offersAfter(sorted, query.sort, query.cursor);
    return cutPage(
      rest,
      query.limit,
      ({ id, offer }) => ({ ...offer, availability: day.stretchesOf(id).map(stretchToWire) }),
      (last) => cursorOf(last, query.sort),
    );
  },
});

/** Which models a query asks for. */
function wantedBy({ q = "", type, capability, provider }: z.output<typeof catalogueQuery>) {
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
