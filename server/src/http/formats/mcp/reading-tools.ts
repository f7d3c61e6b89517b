import { balancePool } from "@trunkline/core/funds-pool.ts";
import { MODEL_TYPES } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { OperationContext } from "../../endpoints/endpoint.ts";
import { pricingSchema, toPricingResponse } from "../../requests/model.ts";
import { toUsageRange, usageRangeQuery } from "../../requests/usage-range.ts";
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
      pricing: pricingSchema,
    }),
  ),
});

/** The models that can be asked for, with their prices. */
export function listModels(
  { services }: OperationContext<unknown, unknown>,
  { type, capability }: z.infer<typeof listModelsInput>,
): z.infer<typeof listModelsOutput> {
  const listed = services.catalogue
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
      pricing: toPricingResponse(model.price),
    })),
  };
}

export const usageInput = usageRangeQuery;

export const usageOutput = z.object({
  requests: z.number().describe("Answered requests of the account in the range of time."),
  cost: z.number().describe("What they cost, in credits."),
  balance: z.number().describe("What the account has now, in credits."),
});

/** What the account has used, and what it has left. */
export async function readUsage(
  { services, caller }: OperationContext<unknown, unknown>,
  range: z.infer<typeof usageInput>,
): Promise<z.infer<typeof usageOutput>> {
  const total = await services.usageReader.total(caller.accountId, toUsageRange(range, caller));
  const { total: balance } = await services.ledger.readPool(balancePool(caller.accountId));
  return {
    requests: Number(total?.requests ?? 0n),
    cost: toCredits(total?.cost ?? 0n),
    balance: toCredits(balance),
  };
}
