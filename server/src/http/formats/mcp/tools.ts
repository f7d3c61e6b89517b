import type { CallToolResult } from "@modelcontextprotocol/server";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { fullNameOf, MODEL_TYPES } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { serve } from "../../../pipeline/serve.ts";
import type { OperationContext } from "../../endpoints/endpoint.ts";
import { tokenUsageSchema } from "../../endpoints/inference/inference.ts";
import { checkIdempotencyKey } from "../../requests/idempotency-key.ts";
import { pricingSchema, toPricingResponse } from "../../requests/model-schema.ts";
import { generateBody, readInference } from "../../requests/read-inference.ts";
import { toUsageRange, usageRangeQuery } from "../../requests/usage-range.ts";
import { isListed } from "../../responses/model-offer.ts";

/** The tool takes the body of POST /v1/generate. */
export const generateInput = generateBody.schema;

export const generateOutput = z.object({
  output: z.string().describe("The answer; of an image or a sound, its URL."),
  model: z.string().describe("provider/name of the model that gave it."),
  cost: z.number().describe("In credits."),
  usage: tokenUsageSchema,
  request_id: z.string(),
});

/** One answer, by the same pipeline as every other. The client was admitted when its message came. */
export async function generate(
  { services, caller, incomingRequest }: OperationContext<unknown, unknown>,
  input: unknown,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { trace, authorization, session, address, idempotencyKey } = incomingRequest;
  checkIdempotencyKey(idempotencyKey);
  const served = await serve(services, {
    trace,
    authorization,
    session,
    address,
    idempotencyKey,
    signal,
    admitted: caller,
    readInference: async () => ({
      inference: readInference(input, generateBody),
      body: JSON.stringify(input),
    }),
  }).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  // The client cancelled the call and does not read this; the charge is settled.
  if (served === undefined) return { isError: true, content: [{ type: "text", text: "The call was cancelled." }] };
  const { receipt, answer } = served;
  const { text, media } = answer;
  const output: z.infer<typeof generateOutput> = {
    output: media?.url ?? text,
    model: fullNameOf(receipt.model),
    cost: toCredits(receipt.cost),
    usage: { input_tokens: receipt.inputTokens, output_tokens: receipt.outputTokens },
    request_id: trace.replayOf?.requestId ?? trace.requestId,
  };
  return { content: toToolContent(media, text), structuredContent: output };
}

function toToolContent(
  media: { readonly kind: "image" | "audio"; readonly url: string } | undefined,
  text: string,
): CallToolResult["content"] {
  if (media === undefined) return [{ type: "text", text }];
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/is.exec(media.url) ?? [];
  if (mimeType === undefined || data === undefined) return [{ type: "text", text: media.url }];
  return [{ type: media.kind, mimeType, data }];
}

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

/** The models that `generate` takes, with their prices. */
export function listModels(
  { services }: OperationContext<unknown, unknown>,
  { type, capability }: z.infer<typeof listModelsInput>,
): z.infer<typeof listModelsOutput> {
  const listed = services.providers.catalogue
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
  const total = await services.usage.reader.total(caller.accountId, toUsageRange(range, caller));
  const { total: balance } = await services.ledger.store.readPool(balancePool(caller.accountId));
  return {
    requests: Number(total?.requests ?? 0n),
    cost: toCredits(total?.cost ?? 0n),
    balance: toCredits(balance),
  };
}
