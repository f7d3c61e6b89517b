import { BUDGET_PERIODS, type Budget, type Caller, SCOPES, type Scope } from "@trunkline/core/caller.ts";
import { joinDataRules, parseStoredDataRules, toDataRulesJson } from "@trunkline/core/data-rules.ts";
import { type CacheOptions, STRATEGIES } from "@trunkline/core/inference.ts";
import { ANY_ORIGIN } from "@trunkline/core/origins.ts";
import { parseStoredPresets } from "@trunkline/core/preset.ts";
import type { CallerSafetyRules } from "@trunkline/core/safety-policy.ts";
import { parseStoredSafetyRules, toSafetyRulesJson } from "@trunkline/core/safety-rules-schema.ts";
import { LEARNING_MODES } from "@trunkline/core/service-settings.ts";
import type { ApiKeySettings } from "../../identity/keys/api-key-settings.ts";

import type { Row } from "../database/rows.ts";
import { listColumns } from "../database/sql.ts";

/** What a key may do: the columns of `api_keys`, each with its value in a key's settings. */
export const TERMS = [
  ["name", ({ name }) => name],
  ["scopes", ({ scopes }) => scopes],
  ["expires_at", ({ expiresAt }) => expiresAt ?? null],
  ["requests_per_minute", ({ requestsPerMinute }) => requestsPerMinute ?? null],
  ["budget_limit", ({ budget }) => budget?.limit ?? null],
  ["budget_period", ({ budget }) => budget?.period ?? null],
  ["models", ({ models }) => models ?? null],
  ["ips", ({ ips }) => ips ?? null],
  ["origins", ({ origins }) => origins ?? null],
  ["cache_ttl_seconds", ({ cache }) => cache?.ttlSeconds ?? null],
  ["cache_similarity", ({ cache }) => cache?.similarity ?? null],
  ["data_rules", ({ dataRules }) => (dataRules === undefined ? null : JSON.stringify(toDataRulesJson(dataRules)))],
  ["safety", ({ safety }) => (safety === undefined ? null : JSON.stringify(toSafetyRulesJson(safety)))],
] as const satisfies readonly (readonly [keyof Row<"api_keys">, (settings: ApiKeySettings) => unknown])[];

export type TermsRow = Row<"api_keys", (typeof TERMS)[number][0]>;

/** A key with its account, as a request needs it. */
export type CallerRow = TermsRow &
  Row<"api_keys", "account_id"> &
  Row<"accounts", (typeof ACCOUNT_COLUMNS)[number]> & {
    readonly key_id: string;
    readonly suspended: boolean;
    readonly account_requests_per_minute: number | null;
    readonly account_safety: unknown;
    readonly account_data_rules: unknown;
    readonly account_origins: readonly string[] | null;
    readonly has_log_sinks: boolean;
    readonly has_guardrails: boolean;
    readonly account_budget_limit: bigint | null;
    readonly account_budget_period: string | null;
  };

const ACCOUNT_COLUMNS = [
  "provider",
  "operator",
  "strategy",
  "weight_cost",
  "weight_speed",
  "weight_quality",
  "min_quality",
  "learning",
  "third_party_models",
  "presets",
  "keeps_content",
  "time_zone",
] as const;

/** The columns of `CallerRow`, of `api_keys k` and `accounts a`. */
const TERMS_COLUMNS = listColumns(
  TERMS.map(([name]) => name),
  "k",
);
export const CALLER_COLUMNS = `k.id AS key_id, k.account_id, ${TERMS_COLUMNS}, ${listColumns(ACCOUNT_COLUMNS, "a")},
  a.suspended_at IS NOT NULL AS suspended, a.requests_per_minute AS account_requests_per_minute, a.safety AS account_safety,
  a.data_rules AS account_data_rules,
  a.origins AS account_origins, a.budget_limit AS account_budget_limit, a.budget_period AS account_budget_period,
  EXISTS (SELECT FROM log_sinks x WHERE x.account_id = a.id AND x.enabled) AS has_log_sinks,
  EXISTS (SELECT FROM guardrail_hooks x WHERE x.account_id = a.id AND x.enabled) AS has_guardrails`;

/** The most requests that an account begins in a row: others must not wait long for their turn. */
const ADMISSION_WEIGHT_MAX = 10;

/** The requests a minute of accounts without a ceiling of their own. */
export interface AccountLimits {
  readonly accountRequestsPerMinute: number;
}

/** The caller that a key and its account stand for. `accountRate` is the ceiling of accounts without one of their own. */
export function callerOf(row: CallerRow, accountRate: number): Caller {
  const terms = termsOf(row);
  const ceiling = row.operator ? undefined : (row.account_requests_per_minute ?? accountRate);
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    provider: row.provider,
    operator: row.operator,
    suspended: row.suspended,
    person: undefined,
    scopes: new Set(terms.scopes),
    expiresAt: terms.expiresAt?.getTime(),
    requestsPerMinute: terms.requestsPerMinute,
    accountRequestsPerMinute: ceiling,
    admissionWeight: Math.min(ADMISSION_WEIGHT_MAX, Math.max(1, Math.round((ceiling ?? accountRate) / accountRate))),
    budget: terms.budget,
    accountBudget: budgetOf(row.account_budget_limit, row.account_budget_period),
    models: terms.models === undefined ? undefined : new Set(terms.models),
    ips: terms.ips,
    origins: originsOf(terms, row.account_origins),
    cache: terms.cache,
    strategy: STRATEGIES.find((strategy) => strategy === row.strategy),
    weights: weightsOf(row),
    minQuality: row.min_quality ?? undefined,
    learning: LEARNING_MODES.find((learning) => learning === row.learning),
    safety: safetyOf(parseStoredSafetyRules(row.account_safety), terms.safety),
    dataRules: joinDataRules(parseStoredDataRules(row.account_data_rules), terms.dataRules),
    thirdPartyModels: row.third_party_models,
    presets: parseStoredPresets(row.presets),
    keepsContent: row.keeps_content,
    hasLogSinks: row.has_log_sinks,
    hasGuardrails: row.has_guardrails,
    timeZone: row.time_zone,
  };
}

/** A key that may change things is for servers: a page that is not listed by the key itself must not have it. */
function originsOf({ origins, scopes }: ApiKeySettings, accountOrigins: readonly string[] | null) {
  const given = origins ?? (scopes.every(isForPages) ? (accountOrigins ?? undefined) : []);
  return given?.includes(ANY_ORIGIN) ? undefined : given;
}

const isForPages = (scope: Scope) => scope === "inference" || scope === "read";

function safetyOf(account: CallerSafetyRules["account"], key: CallerSafetyRules["key"]): CallerSafetyRules | undefined {
  return account === undefined && key === undefined ? undefined : { account, key };
}

function weightsOf({ weight_cost: cost, weight_speed: speed, weight_quality: quality }: CallerRow) {
  return cost === null || speed === null || quality === null ? undefined : { cost, speed, quality };
}

/** The settings in a key's row. */
export function termsOf(row: TermsRow): ApiKeySettings {
  return {
    name: row.name,
    scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
    expiresAt: row.expires_at ?? undefined,
    requestsPerMinute: row.requests_per_minute ?? undefined,
    budget: budgetOf(row.budget_limit, row.budget_period),
    models: row.models ?? undefined,
    ips: row.ips ?? undefined,
    origins: row.origins ?? undefined,
    cache: cacheOf(row),
    safety: parseStoredSafetyRules(row.safety),
    dataRules: parseStoredDataRules(row.data_rules),
  };
}

function cacheOf(row: TermsRow): CacheOptions | undefined {
  if (row.cache_ttl_seconds === null) return undefined;
  return { ttlSeconds: row.cache_ttl_seconds, similarity: row.cache_similarity ?? undefined };
}

/** A budget of two columns; undefined: none. */
export function budgetOf(limit: bigint | null, storedPeriod: string | null): Budget | undefined {
  const period = BUDGET_PERIODS.find((known) => known === storedPeriod);
  return limit === null || period === undefined ? undefined : { limit, period };
}
