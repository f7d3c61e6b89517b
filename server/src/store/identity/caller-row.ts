import { BUDGET_PERIODS, type Budget, type Caller, SCOPES } from "@trunkline/core/caller.ts";
import { type CacheOptions, STRATEGIES } from "@trunkline/core/inference.ts";
import type { CallerSafetyRules } from "@trunkline/core/safety-policy.ts";
import { parseStoredSafetyRules } from "@trunkline/core/safety-rules-schema.ts";
import { LEARNING_MODES } from "@trunkline/core/service-settings.ts";
import type { ApiKeySettings } from "../../identity/keys/api-keys.ts";

/** What a key may do. */
export interface TermsRow {
  name: string;
  scopes: string[];
  expires_at: Date | null;
  requests_per_minute: number | null;
  budget_limit: bigint | null;
  budget_period: string | null;
  models: string[] | null;
  ips: string[] | null;
  cache_ttl_seconds: number | null;
  cache_similarity: number | null;
  safety: unknown;
}

/** A key with its account, as the line needs it. */
export interface CallerRow extends TermsRow {
  key_id: string;
  account_id: string;
  provider: string;
  operator: boolean;
  suspended: boolean;
  strategy: string | null;
  weight_cost: number | null;
  weight_speed: number | null;
  weight_quality: number | null;
  min_quality: number | null;
  learning: string | null;
  account_safety: unknown;
  keeps_content: boolean;
  time_zone: string;
}

/** The columns of `TermsRow`, of `api_keys k`. */
export const TERMS_COLUMNS =
  "k.name, k.scopes, k.expires_at, k.requests_per_minute, k.budget_limit, k.budget_period, k.models, k.ips, k.cache_ttl_seconds, k.cache_similarity, k.safety";

/** The columns of `CallerRow`, of `api_keys k` and `accounts a`. */
export const CALLER_COLUMNS = `k.id AS key_id, k.account_id, ${TERMS_COLUMNS}, a.provider, a.operator, a.suspended_at IS NOT NULL AS suspended,
  a.strategy, a.weight_cost, a.weight_speed, a.weight_quality, a.min_quality, a.learning, a.safety AS account_safety, a.keeps_content, a.time_zone`;

/** Who is asking, out of the rows of a key and its account. */
export function callerOf(row: CallerRow): Caller {
  const terms = termsOf(row);
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    provider: row.provider,
    operator: row.operator,
    suspended: row.suspended,
    person: undefined,
    scopes: new Set(terms.scopes),
    requestsPerMinute: terms.requestsPerMinute,
    budget: terms.budget,
    models: terms.models === undefined ? undefined : new Set(terms.models),
    ips: terms.ips,
    cache: terms.cache,
    strategy: STRATEGIES.find((strategy) => strategy === row.strategy),
    weights: weightsOf(row),
    minQuality: row.min_quality ?? undefined,
    learning: LEARNING_MODES.find((learning) => learning === row.learning),
    safety: safetyOf(parseStoredSafetyRules(row.account_safety), terms.safety),
    keepsContent: row.keeps_content,
    timeZone: row.time_zone,
  };
}

function safetyOf(account: CallerSafetyRules["account"], key: CallerSafetyRules["key"]): CallerSafetyRules | undefined {
  return account === undefined && key === undefined ? undefined : { account, key };
}

function weightsOf({ weight_cost: cost, weight_speed: speed, weight_quality: quality }: CallerRow) {
  return cost === null || speed === null || quality === null ? undefined : { cost, speed, quality };
}

/** What a key may do, out of its row. */
export function termsOf(row: TermsRow): ApiKeySettings {
  return {
    name: row.name,
    scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
    expiresAt: row.expires_at ?? undefined,
    requestsPerMinute: row.requests_per_minute ?? undefined,
    budget: budgetOf(row),
    models: row.models ?? undefined,
    ips: row.ips ?? undefined,
    cache: cacheOf(row),
    safety: parseStoredSafetyRules(row.safety),
  };
}

function cacheOf(row: TermsRow): CacheOptions | undefined {
  if (row.cache_ttl_seconds === null) return undefined;
  return { ttlSeconds: row.cache_ttl_seconds, similarity: row.cache_similarity ?? undefined };
}

function budgetOf(row: TermsRow): Budget | undefined {
  const period = BUDGET_PERIODS.find((known) => known === row.budget_period);
  return row.budget_limit === null || period === undefined ? undefined : { limit: row.budget_limit, period };
}
