import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Services } from "../../app/services.ts";
import {
  isListed,
  listedOfferSchema,
  listModelsFor,
  qualityPredictor,
  toAvailability,
  toModelOffer,
} from "../responses/model-offer.ts";
import { readServiceStatus, serviceStatusSchema } from "../responses/service-status.ts";
import { controlEndpoint, type Endpoint, publicEndpoint } from "./endpoint.ts";
import type { HttpRequest } from "./http-request.ts";

/** How often an address may read each of these in a minute. */
const READS_PER_ADDRESS = 60;

/** What strangers see of an offer: neither how much it is used nor what concerns an account's own keys. */
const publicOfferSchema = listedOfferSchema
  .pick({
    provider: true,
    name: true,
    full_name: true,
    type: true,
    description: true,
    pricing: true,
    capabilities: true,
    specialties: true,
    streaming: true,
    context_window: true,
    max_output_tokens: true,
    created_at: true,
  })
  .extend({
    quality: z
      .number()
      .nullable()
      .describe("The chance that its answer to an everyday question satisfies; null: unknown."),
    available: z.boolean(),
    latency_ms: z.number().nullable(),
    tokens_per_second: z.number().nullable(),
    availability: z
      .array(z.object({ at: z.string(), state: z.enum(["up", "degraded", "down", "no data"]) }))
      .describe("The last 24 hours, hour by hour, the oldest first."),
  });

const readPublicModels = publicEndpoint({
  method: "GET",
  path: "/v1/public/models",
  status: 200,
  tag: "Models",
  summary: "The catalogue of models, for everyone",
  description: "Needs no key. 404 unless the operator has made the catalogue public (`public_models`).",
  faults: ["not_found", "rate_limited"],
  response: z.object({ data: z.array(publicOfferSchema), next_cursor: z.null() }),
  async handle({ services, request }) {
    await admitStranger(services, request, "models", services.settings.current.publicModels);
    const day = await services.providers.endpointStats.lastDayByHour();
    const predictQuality = qualityPredictor(services, "");
    const data = publicModels(services).map((model) => {
      const { live, performance, ...offer } = toModelOffer(services, model, day, predictQuality);
      const availability = day.bucketsOf(model.id).map((bucket) => {
        const { at, state } = toAvailability(bucket);
        return { at, state };
      });
      return {
        provider: offer.provider,
        name: offer.name,
        full_name: offer.full_name,
        type: offer.type,
        description: offer.description,
        pricing: offer.pricing,
        capabilities: offer.capabilities,
        specialties: offer.specialties,
        streaming: offer.streaming,
        context_window: offer.context_window,
        max_output_tokens: offer.max_output_tokens,
        created_at: offer.created_at,
        quality: performance.predicted_quality ?? performance.accuracy_score,
        available: live.available,
        latency_ms: live.latency_ms,
        tokens_per_second: live.tokens_per_second,
        availability,
      };
    });
    return { data, next_cursor: null };
  },
});

const readPublicStatus = publicEndpoint({
  method: "GET",
  path: "/v1/public/status",
  status: 200,
  tag: "Service",
  summary: "How the service does, for everyone",
  description: "Needs no key. 404 unless the operator has made the status public (`public_status`).",
  faults: ["not_found", "rate_limited"],
  response: serviceStatusSchema,
  async handle({ services, request }) {
    await admitStranger(services, request, "status", services.settings.current.publicStatus);
    return readServiceStatus(services, publicModels(services));
  },
});

const readStatus = controlEndpoint({
  method: "GET",
  path: "/v1/status",
  permission: "models.read",
  status: 200,
  tag: "Service",
  summary: "How the service does",
  description:
    "The service, its store, and each model that you can call, by the figures of the operator's health page.",
  faults: [],
  response: serviceStatusSchema,
  handle: async ({ services, caller }) => readServiceStatus(services, listModelsFor(services, caller)),
});

/** What is not public does not exist. */
async function admitStranger(services: Services, request: HttpRequest, page: string, isPublic: boolean): Promise<void> {
  if (!isPublic) throw new Fault("not_found", "The operator has not made this public. Log in to see it.");
  await services.limits.tryLimiter.take(`public-${page}`, [{ name: request.ip, limit: READS_PER_ADDRESS }]);
}

/** The models that every account can see. */
function publicModels({ providers }: Services) {
  return providers.catalogue
    .all()
    .filter(({ private: isPrivate }) => isPrivate !== true)
    .filter(isListed);
}

export const publicPageEndpoints: readonly Endpoint[] = [readPublicModels, readPublicStatus, readStatus];
