import { BUDGET_PERIODS, SCOPES } from "@trunkline/core/caller.ts";
import { dataRulesResponseSchema, dataRulesSchema, toDataRules, toDataRulesJson } from "@trunkline/core/data-rules.ts";
import { creditsSchema, lineSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { CACHE_SIMILARITY, CACHE_TTL_SECONDS, type CacheOptions } from "@trunkline/core/inference.ts";
import { isIpRange } from "@trunkline/core/ip-address.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { isOriginPattern } from "@trunkline/core/origins.ts";
import { safetyRulesSchema, toSafetyRules, toSafetyRulesJson } from "@trunkline/core/safety-rules-schema.ts";
import { z } from "zod";
import type { ApiKeySettings } from "../../identity/keys/api-key-settings.ts";
import { type ApiKeyWithUsage, KEY_STATES } from "../../identity/keys/api-keys.ts";

const cacheSchema = z
  .object({
    ttl: z.int().min(CACHE_TTL_SECONDS.min).max(CACHE_TTL_SECONDS.max).describe("Seconds."),
    similarity: z
      .number()
      .min(CACHE_SIMILARITY.min)
      .max(CACHE_SIMILARITY.max)
      .nullable()
      .optional()
      .describe("How alike two questions must be to count as one; absent: exactly alike."),
  })
  .nullable()
  .optional()
  .describe("For how long this key's answers may be given again at no cost; absent: never.");

/** Sites whose pages may use keys. */
export const originsSchema = z
  .array(
    z
      .string()
      .toLowerCase()
      .refine(isOriginPattern, "must be `*`, an origin such as https://app.example.com, or https://*.example.com"),
  )
  .max(100);

const apiKeyFields = {
  name: lineSchema(),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .max(SCOPES.length)
    .describe("What the key may do. A key can't grant a scope that it lacks."),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
  requests_per_minute: z.int().min(1).max(10_000_000).nullable().optional(),
  budget: z
    .object({ limit: creditsSchema(0, 1_000_000_000), period: z.enum(BUDGET_PERIODS) })
    .nullable()
    .optional(),
  models: z
    .array(storableText(z.string().min(1).max(256)))
    .min(1)
    .max(1_000)
    .nullable()
    .optional()
    .describe("Names or provider/names; absent: all."),
  ips: z
    .array(z.string().refine(isIpRange, "must be an address or a range such as 203.0.113.0/24"))
    .min(1)
    .max(100)
    .nullable()
    .optional(),
  origins: originsSchema
    .nullable()
    .optional()
    .describe(
      "The sites whose pages may use the key; absent: those of the account's settings, and none if it has a scope besides `inference` and `read`.",
    ),
  cache: cacheSchema,
  data_rules: dataRulesSchema
    .nullable()
    .optional()
    .describe("What may become of the data of its requests, besides the account's rules; absent: no rule of its own."),
  safety: safetyRulesSchema
    .nullable()
    .optional()
    .describe("What this key says of safety, laid over what the account says; absent: nothing."),
};

export const createApiKeySchema = z.object(apiKeyFields);
export const updateApiKeySchema = z.object({
  ...apiKeyFields,
  name: lineSchema().optional(),
  scopes: apiKeyFields.scopes.optional(),
});
export const rotateSecretSchema = z.object({
  grace_seconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .optional()
    .describe("How long the old secret lives on. Default 86400."),
});

export const apiKeyResponseSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  hint: z.string().describe("Enough of the secret to recognise it by."),
  expires_at: z.string().nullable(),
  requests_per_minute: z.number().nullable(),
  budget: z.object({ limit: z.number(), period: z.enum(BUDGET_PERIODS) }).nullable(),
  models: z.array(z.string()).nullable(),
  ips: z.array(z.string()).nullable(),
  origins: z.array(z.string()).nullable(),
  cache: z.object({ ttl: z.number(), similarity: z.number().nullable() }).nullable(),
  safety: safetyRulesSchema.nullable(),
  data_rules: dataRulesResponseSchema.nullable(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  state: z.enum(KEY_STATES),
  requests: z.number().describe("Answered requests, ever."),
  spent: z.object({
    period: z.number().nullable().describe("In the running period of its budget; null: it has none."),
    period_ends_at: z.string().nullable().describe("When its budget begins anew; null: never."),
    total: z.number().describe("Ever."),
  }),
  made_by: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe("The member who made it; null: another key did, or the operator."),
  old_secret_ends_at: z
    .string()
    .nullable()
    .describe("Until when a secret from before the last rotation still holds; null: none does."),
  revoked_at: z.string().nullable(),
});

/** The given settings; `null` lifts a limit, missing fields stay as they are. */
export function toApiKeyChange(body: z.infer<typeof updateApiKeySchema>): Partial<ApiKeySettings> {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.scopes === undefined ? {} : { scopes: body.scopes }),
    ...(body.expires_at === undefined
      ? {}
      : { expiresAt: body.expires_at === null ? undefined : new Date(body.expires_at) }),
    ...(body.requests_per_minute === undefined ? {} : { requestsPerMinute: body.requests_per_minute ?? undefined }),
    ...(body.budget === undefined
      ? {}
      : {
          budget:
            body.budget === null ? undefined : { limit: toNanoCredits(body.budget.limit), period: body.budget.period },
        }),
    ...(body.models === undefined ? {} : { models: body.models ?? undefined }),
    ...(body.ips === undefined ? {} : { ips: body.ips ?? undefined }),
    ...(body.origins === undefined ? {} : { origins: body.origins ?? undefined }),
    ...(body.data_rules === undefined
      ? {}
      : { dataRules: body.data_rules === null ? undefined : toDataRules(body.data_rules) }),
    ...(body.cache === undefined ? {} : { cache: body.cache === null ? undefined : toCacheOptions(body.cache) }),
    ...(body.safety === undefined ? {} : { safety: body.safety === null ? undefined : toSafetyRules(body.safety) }),
  };
}

export function toApiKeySettings(body: z.infer<typeof createApiKeySchema>): ApiKeySettings {
  return {
    name: body.name,
    scopes: body.scopes,
    expiresAt: undefined,
    requestsPerMinute: undefined,
    budget: undefined,
    models: undefined,
    ips: undefined,
    cache: undefined,
    safety: undefined,
    ...toApiKeyChange(body),
  };
}

/** A key as its owner sees it, without the secret. */
export function toApiKeyResponse(key: ApiKeyWithUsage): z.infer<typeof apiKeyResponseSchema> {
  return {
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    hint: key.hint,
    expires_at: key.expiresAt?.toISOString() ?? null,
    requests_per_minute: key.requestsPerMinute ?? null,
    budget: key.budget === undefined ? null : { limit: toCredits(key.budget.limit), period: key.budget.period },
    models: key.models === undefined ? null : [...key.models],
    ips: key.ips === undefined ? null : [...key.ips],
    origins: key.origins === undefined ? null : [...key.origins],
    cache: key.cache === undefined ? null : { ttl: key.cache.ttlSeconds, similarity: key.cache.similarity ?? null },
    safety: key.safety === undefined ? null : toSafetyRulesJson(key.safety),
    data_rules: key.dataRules === undefined ? null : toDataRulesJson(key.dataRules),
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    state: key.state,
    requests: Number(key.requests),
    spent: {
      period: key.spentInPeriod === undefined ? null : toCredits(key.spentInPeriod),
      period_ends_at: key.periodEndsAt?.toISOString() ?? null,
      total: toCredits(key.spent),
    },
    made_by: key.madeBy ?? null,
    old_secret_ends_at: key.oldSecretEndsAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function toCacheOptions({ ttl, similarity }: { ttl: number; similarity?: number | null | undefined }): CacheOptions {
  return { ttlSeconds: ttl, similarity: similarity ?? undefined };
}
