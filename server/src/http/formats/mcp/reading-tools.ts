import { balanceLot } from "@trunkline/core/funds-pool.ts";
import { MODEL_TYPES } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Visit } from "../../endpoints/endpoint.ts";
import { pricing, pricingOf } from "../../requests/model.ts";
import { rangeOf, rangeQuery } from "../../requests/usage-range.ts";
import { isListed } from "../../responses/model-offer.ts";

export const listModelsInput = z.object({
  type: z.enum(MODEL_TYPES).optional(),
  capability: z.string().optional().describe("A word that the model lists among what it can do."),
});

export const listModelsOutput = z.object({
  models: z.array(
    z.object({
      name: z.string().describe("provider/name, as `generate` takes it."),
      type: z.enum(MODEL_TYPES),
      description: z.string(),
      capabilities: z.array(z.string()),
      pricing,
    }),
  ),
});

/** The models that can be asked for, with their prices. */
export function listModels(
  { house }: Visit<unknown, unknown>,
  { type, capability }: z.infer<typeof listModelsInput>,
): z.infer<typeof listModelsOutput> {
  const listed = house.catalogue
    .all()
    .filter(isListed)
    .filter((model) => type === undefined || model.type === type)
    .filter((model) => capability === undefined || model.capabilities.includes(capability.toLowerCase()));
  return {
    models: listed.map((model) => ({
      name: `${model.provider}/${model.name}`,
      type: model.type,
      description: model.description,
      capabilities: [...model.capabilities],
      pricing: pricingOf(model.price),
    })),
  };
}

export const usageInput = rangeQuery;

export const usageOutput = z.object({
  requests: z.number().describe("Answered requests of the account in the range of time."),
  cost: z.number().describe("What they cost, in credits."),
  balance: z.number().describe("What the account has now, in credits."),
});

/** What the account has used, and what it has left. */
export async function readUsage(
  { house, caller }: Visit<unknown, unknown>,
  range: z.infer<typeof usageInput>,
): Promise<z.infer<typeof usageOutput>> {
  const total = await house.records.total(caller.accountId, rangeOf(range, caller));
  const { total: balance } = await house.ledger.look(balanceLot(caller.accountId));
  return {
    requests: Number(total?.requests ?? 0n),
    cost: toCredits(total?.cost ?? 0n),
    balance: toCredits(balance),
  };
}
