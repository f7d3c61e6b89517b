import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const qualityFloorSchema = z.object({
  min_quality: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("0 to 1; null: what the service asks, `routing.quality_floor`."),
});

const readQualityFloor = controlEndpoint({
  method: "GET",
  path: "/v1/routing/floor",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "What the account's `cost-optimized` asks of a model's quality",
  description:
    "The cheapest model is taken of those whose quality surely clears this. The others come after them, so that no request fails for it.",
  faults: [],
  response: qualityFloorSchema,
  handle: async ({ caller }) => ({ min_quality: caller.minQuality ?? null }),
});

const setQualityFloor = controlEndpoint({
  method: "PUT",
  path: "/v1/routing/floor",
  permission: "routing.change",
  audit: { action: "routing.floor", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set what the account's `cost-optimized` asks of a model's quality",
  description: "A request's own `min_quality` comes before it. null leaves it to the service again.",
  faults: [],
  body: qualityFloorSchema,
  response: qualityFloorSchema,
  async handle({ services, caller, body }) {
    await services.accounts.change(caller.accountId, { minQuality: body.min_quality ?? undefined });
    services.keyring.invalidate();
    return body;
  },
});

export const qualityFloorEndpoints: readonly Endpoint[] = [readQualityFloor, setQualityFloor];
