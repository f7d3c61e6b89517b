import { z } from "zod";
import { control, type Endpoint } from "../endpoint.ts";

const floor = z.object({
  min_quality: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("0 to 1; null: what the service asks, `routing.quality_floor`."),
});

const readFloor = control({
  method: "GET",
  path: "/v1/routing/floor",
  power: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "What the account's `cost-optimized` asks of a model's quality",
  description:
    "The cheapest model is taken of those whose quality surely clears this. The others come after them, so that no request fails for it.",
  faults: [],
  answer: floor,
  handle: async ({ caller }) => ({ min_quality: caller.minQuality ?? null }),
});

const setFloor = control({
  method: "PUT",
  path: "/v1/routing/floor",
  power: "routing.change",
  deed: { action: "routing.floor", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set what the account's `cost-optimized` asks of a model's quality",
  description: "A request's own `min_quality` comes before it. null leaves it to the service again.",
  faults: [],
  body: floor,
  answer: floor,
  async handle({ house, caller, body }) {
    await house.accounts.change(caller.accountId, { minQuality: body.min_quality ?? undefined });
    house.keyring.forget();
    return body;
  },
});

export const routingFloorEndpoints: readonly Endpoint[] = [readFloor, setFloor];
