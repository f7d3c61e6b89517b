import { CLAIMANTS, dataClaimSchema, toDataClaim } from "@trunkline/core/data-rules.ts";
import { creditsSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import {
  AUTH_TYPES,
  type AuthType,
  type CallLimits,
  defaultAuthType,
  FREE_PRICE,
  MODEL_STATES,
  MODEL_TYPES,
  type Model,
  type ModelType,
  type NextPrice,
  type Price,
  WIRES,
} from "@trunkline/core/model.ts";
import { scaleDecimal, toCredits } from "@trunkline/core/money.ts";
import { Secret } from "@trunkline/core/secret.ts";
import type { ModelChange, ModelTerms } from "@trunkline/providers/catalogue/model-registry.ts";
import { z } from "zod";
import { credentialSchema } from "./credential-schema.ts";

/** How much of the traffic a model gets. */
export const trafficShareSchema = z.object({
  weight: z
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe(
      "How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give.",
    ),
  canary_share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe(
      "In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set.",
    ),
});

type TrafficShare = Pick<Model, "weight" | "canaryShare">;
type TrafficShareBody = {
  readonly [Field in keyof z.infer<typeof trafficShareSchema>]?: z.infer<typeof trafficShareSchema>[Field];
};

/** The given fields in our own form. A field that is not given is absent, so that a change leaves it alone. */
export function toTrafficShare({ weight, canary_share: share }: TrafficShareBody): TrafficShare {
  return {
    ...(weight === undefined ? {} : { weight }),
    ...(share === undefined ? {} : { canaryShare: share ?? undefined }),
  };
}

/** Credits per thousand tokens, as nano-credits per million: twelve decimals. */
const PRICE_DECIMALS = 12;
const DISCOUNT_DECIMALS = 4;
const tokenPriceSchema = z
  .number()
  .min(0)
  .max(1_000)
  .refine((value) => scaleDecimal(value, PRICE_DECIMALS) !== undefined, `may have at most ${PRICE_DECIMALS} decimals`);

const wordsSchema = z.array(storableText(z.string().trim().min(1).max(64))).max(64);
const millisecondsSchema = z.int().min(1).max(3_600_000);

export const modelNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    "must be 1 to 128 of A-Z a-z 0-9 . _ : - and begin with a letter or digit",
  )
  .refine((name) => name.toLowerCase() !== "auto", "`auto` is taken: it means that the service chooses");

export const pricingSchema = z.object({
  input_per_1k_tokens: tokenPriceSchema.optional(),
  cached_input_per_1k_tokens: tokenPriceSchema
    .nullable()
    .optional()
    .describe("For input out of the provider's cache; null: as any other input."),
  cache_write_per_1k_tokens: tokenPriceSchema
    .nullable()
    .optional()
    .describe("For input that is put into the provider's cache; null: as any other input."),
  output_per_1k_tokens: tokenPriceSchema.optional(),
  per_image: creditsSchema(0, 1_000).optional(),
  per_request: creditsSchema(0, 1_000).optional(),
  per_second: creditsSchema(0, 1_000).optional().describe("Credits for a second of audio, made or heard."),
});

const callLimitsSchema = z.object({
  connect_ms: millisecondsSchema.optional(),
  first_byte_ms: millisecondsSchema.optional(),
  silence_ms: millisecondsSchema.optional(),
  whole_ms: millisecondsSchema.optional(),
  response_bytes: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .optional(),
  chunk_bytes: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .optional(),
});

/** The fields of a model besides its name: specification 2.6 and 2.7 in one object, and our own. */
export const modelTermsSchema = z.object({
  type: z.enum(MODEL_TYPES),
  description: storableText(z.string().max(2_000)).optional(),
  endpoint: storableText(z.string().max(2_048)).describe(
    "The provider's generate endpoint; with another wire than trunkline, the base URL of its API.",
  ),
  wire: z
    .enum(WIRES)
    .optional()
    .describe("The format that the provider speaks. Default: trunkline, our provider contract."),
  upstream_model: storableText(z.string().min(1).max(256))
    .nullable()
    .optional()
    .describe("The provider's own name for it, where that is another."),
  batch_discount: z
    .number()
    .min(0)
    .max(0.9)
    .refine((value) => scaleDecimal(value, DISCOUNT_DECIMALS) !== undefined, "may have at most 4 decimals")
    .optional()
    .describe("What the provider takes off its price for lines of batches, for example 0.5. Default: 0."),
  auth_type: z
    .enum(AUTH_TYPES)
    .optional()
    .describe(
      "Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none.",
    ),
  credential: credentialSchema.nullable().optional().describe("Write-only. Encrypted at rest, never shown again."),
  pricing: pricingSchema,
  capabilities: wordsSchema.optional(),
  specialties: wordsSchema.optional(),
  performance: z
    .object({
      avg_latency_ms: z.number().min(0).max(3_600_000).optional(),
      accuracy_score: z.number().min(0).max(1).optional(),
    })
    .optional(),
  cost_efficiency: storableText(z.string().trim().min(1).max(32)).optional(),
  streaming: z.boolean().optional(),
  context_window: z.int().min(1).max(100_000_000).optional(),
  max_output_tokens: z.int().min(1).max(1_000_000).optional(),
  backups: z
    .array(storableText(z.string().min(1).max(256)))
    .max(16)
    .optional(),
  limits: callLimitsSchema.optional(),
  data: dataClaimSchema
    .nullable()
    .optional()
    .describe("What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing."),
  ...trafficShareSchema.shape,
});

/** A model without a price is refused, never free by accident. */
export function requirePrices(
  { type, pricing: price }: { type: ModelType; pricing: z.infer<typeof pricingSchema> },
  context: z.RefinementCtx,
): void {
  const missing = (field: string) =>
    context.addIssue({ code: "custom", path: ["pricing", field], message: "is required" });
  const countsTokens = type === "text" || type === "multimodal" || type === "embedding";
  const hasFixedPrice =
    (type === "image" && price.per_image !== undefined) ||
    (type === "audio" && price.per_second !== undefined) ||
    price.per_request !== undefined;
  if (countsTokens || !hasFixedPrice) {
    if (price.input_per_1k_tokens === undefined) missing("input_per_1k_tokens");
    if (price.output_per_1k_tokens === undefined && type !== "embedding") missing("output_per_1k_tokens");
  }
}

export const registerModelSchema = modelTermsSchema.extend({ name: modelNameSchema }).superRefine(requirePrices);
export const updateModelSchema = modelTermsSchema
  .partial()
  .extend({ state: z.enum(["active", "suspended"]).optional() })
  // A new type needs its own prices: those of the old type could make the model free.
  .superRefine(({ type, pricing: price }, context) => {
    if (type !== undefined && price !== undefined) requirePrices({ type, pricing: price }, context);
  });

type PartialModelBody = {
  readonly [Field in keyof z.infer<typeof modelTermsSchema>]?: z.infer<typeof modelTermsSchema>[Field] | undefined;
};

/** The given fields in our own form. A field that is not given is absent, so that a change leaves it alone. */
export function toModelChange(body: PartialModelBody) {
  const given = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value });
  return {
    ...given("type", body.type),
    ...given("description", body.description),
    ...given("endpoint", body.endpoint),
    ...given("wire", body.wire),
    ...(body.upstream_model === undefined ? {} : { upstreamModel: body.upstream_model ?? undefined }),
    ...(body.batch_discount === undefined
      ? {}
      : { batchDiscount: Number(scaleDecimal(body.batch_discount, DISCOUNT_DECIMALS)) }),
    ...given("authType", body.auth_type),
    ...(body.credential === undefined
      ? {}
      : { credential: body.credential === null ? undefined : new Secret(body.credential) }),
    ...given("price", body.pricing && toPrice(body.pricing)),
    ...given("capabilities", body.capabilities?.map(toLowerCase)),
    ...given("specialties", body.specialties?.map(toLowerCase)),
    ...given("avgLatencyMs", body.performance?.avg_latency_ms),
    ...given("accuracyScore", body.performance?.accuracy_score),
    ...given("costEfficiency", body.cost_efficiency),
    ...given("streaming", body.streaming),
    ...given("contextWindow", body.context_window),
    ...given("maxOutputTokens", body.max_output_tokens),
    ...given("backups", body.backups),
    ...given("limits", body.limits && toCallLimits(body.limits)),
    ...(body.data === undefined ? {} : { dataClaim: body.data === null ? undefined : toDataClaim(body.data) }),
    ...toTrafficShare(body),
  } as ModelChange;
}

/** A whole registration in our own form, with every default. */
export function toModelTerms(body: z.infer<typeof modelTermsSchema>): ModelTerms {
  const usual = body.credential == null ? "none" : defaultAuthType(body.wire ?? "trunkline");
  const authType: AuthType = body.auth_type ?? usual;
  return {
    type: body.type,
    endpoint: body.endpoint,
    wire: "trunkline",
    description: "",
    credential: undefined,
    capabilities: [],
    specialties: [],
    avgLatencyMs: undefined,
    accuracyScore: undefined,
    costEfficiency: undefined,
    streaming: false,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: {},
    ...toModelChange(body),
    price: { ...FREE_PRICE, ...toPrice(body.pricing) },
    authType,
  };
}

/** Only the prices that are given. */
function toPrice(body: z.infer<typeof pricingSchema>): Partial<Omit<Price, "version">> {
  const {
    input_per_1k_tokens: input,
    cached_input_per_1k_tokens: cached,
    cache_write_per_1k_tokens: written,
    output_per_1k_tokens: output,
    per_image: image,
    per_request: request,
    per_second: second,
  } = body;
  const perMillion = (price: number) => scaleDecimal(price, PRICE_DECIMALS) ?? 0n;
  return {
    ...(input === undefined ? {} : { inputPerMillion: perMillion(input) }),
    ...(cached === undefined ? {} : { cachedInputPerMillion: cached === null ? undefined : perMillion(cached) }),
    ...(written === undefined ? {} : { cacheWritePerMillion: written === null ? undefined : perMillion(written) }),
    ...(output === undefined ? {} : { outputPerMillion: perMillion(output) }),
    ...(image === undefined ? {} : { perImage: toNanoCredits(image) }),
    ...(request === undefined ? {} : { perRequest: toNanoCredits(request) }),
    ...(second === undefined ? {} : { perSecond: toNanoCredits(second) }),
  };
}

function toCallLimits(body: z.infer<typeof callLimitsSchema>): Partial<CallLimits> {
  const entries = Object.entries({
    connectMs: body.connect_ms,
    firstByteMs: body.first_byte_ms,
    silenceMs: body.silence_ms,
    wholeMs: body.whole_ms,
    responseBytes: body.response_bytes,
    chunkBytes: body.chunk_bytes,
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** A price in the API. */
export function toPricingResponse(price: Omit<Price, "version">) {
  const perThousand = (perMillion: bigint) => Number(perMillion) / 10 ** PRICE_DECIMALS;
  return {
    input_per_1k_tokens: perThousand(price.inputPerMillion),
    cached_input_per_1k_tokens:
      price.cachedInputPerMillion === undefined ? null : perThousand(price.cachedInputPerMillion),
    cache_write_per_1k_tokens:
      price.cacheWritePerMillion === undefined ? null : perThousand(price.cacheWritePerMillion),
    output_per_1k_tokens: perThousand(price.outputPerMillion),
    per_image: toCredits(price.perImage),
    per_request: toCredits(price.perRequest),
    per_second: toCredits(price.perSecond),
  };
}

export const dataClaimResponseSchema = z
  .object({
    regions: z.array(z.string()).nullable().describe("Where requests are processed; null: nothing is claimed."),
    retention_days: z.number().nullable().describe("For how many days their data is kept; null: nothing is claimed."),
    claimed_by: z
      .enum(CLAIMANTS)
      .describe("provider: the account that registered it. documentation: what the provider has published."),
    source: z.string().nullable(),
  })
  .nullable()
  .describe("What is claimed of what becomes of the data of requests. The service does not check it. null: nothing.");

export function toDataClaimResponse({ dataClaim, thirdParty }: Pick<Model, "dataClaim" | "thirdParty">) {
  if (dataClaim === undefined) return null;
  const { regions, retentionDays, source, isDocumented } = dataClaim;
  const owner = thirdParty === true ? ("provider" as const) : ("operator" as const);
  return {
    regions: regions === undefined ? null : [...regions],
    retention_days: retentionDays ?? null,
    claimed_by: isDocumented === true ? ("documentation" as const) : owner,
    source: source ?? null,
  };
}

export const nextPricingSchema = z
  .object({ pricing: pricingSchema, effective_at: z.string() })
  .nullable()
  .describe("A price that was announced, and from when it holds; null: none.");

export function toNextPricingResponse(next: NextPrice | undefined) {
  return next === undefined
    ? null
    : { pricing: toPricingResponse(next.price), effective_at: next.effectiveAt.toISOString() };
}

const toLowerCase = (word: string) => word.toLowerCase();

export const modelStateSchema = z.enum(MODEL_STATES);
