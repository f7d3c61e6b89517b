import type { Budget, Caller } from "@trunkline/core/caller.ts";
import { areWithinDataRules, joinDataRules } from "@trunkline/core/data-rules.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isRangeWithin } from "@trunkline/core/ip-address.ts";
import type { ApiKeySettings } from "./api-key-settings.ts";

/** A key that a key makes gets the maker's own limits where it is given none. Members have no such limits. */
export function inheritLimits(caller: Caller, terms: ApiKeySettings, defaultRate: number): ApiKeySettings {
  if (caller.person !== undefined) return terms;
  const { expiresAt, requestsPerMinute: rate, models, ips } = caller;
  return {
    ...terms,
    expiresAt: terms.expiresAt ?? (expiresAt === undefined ? undefined : new Date(expiresAt)),
    // Without a rate of its own a key has the service's default.
    requestsPerMinute: terms.requestsPerMinute ?? (rate !== undefined && rate < defaultRate ? rate : undefined),
    models: terms.models ?? (models && [...models]),
    ips: terms.ips ?? ips,
    dataRules: joinDataRules(caller.dataRules, terms.dataRules),
  };
}

/**
 * Refuses a key that lasts longer or reaches further than the key that makes, changes or rotates it: otherwise a limit
 * could be left behind by a second key. Rates that are not set are `defaultRate`, the caller's own `ownRate`.
 */
export function requireOwnLimits(
  caller: Caller,
  terms: Omit<ApiKeySettings, "budget">,
  defaultRate: number,
  ownRate = defaultRate,
): void {
  if (caller.person !== undefined) return;
  const { expiresAt, models, ips } = caller;
  if (expiresAt !== undefined && (terms.expiresAt === undefined || terms.expiresAt.getTime() > expiresAt))
    throw exceeded("expires_at", `Your key ends at ${new Date(expiresAt).toISOString()}`);
  const rate = caller.requestsPerMinute ?? ownRate;
  if ((terms.requestsPerMinute ?? defaultRate) > rate)
    throw exceeded("requests_per_minute", `Your key may send ${rate} requests a minute`);
  if (models !== undefined && !(terms.models?.every((name) => isModelWithin(name, models)) ?? false))
    throw exceeded("models", "Your key may use some models only");
  if (ips !== undefined && !(terms.ips?.every((range) => isRangeWithin(range, ips)) ?? false))
    throw exceeded("ips", "Your key may be used from some addresses only");
  if (!areWithinDataRules(terms.dataRules, caller.dataRules))
    throw exceeded("data_rules", "Your key's requests have data rules");
}

/** Refuses a key that may send more than all keys of its account together: its rate would promise what it can't have. */
export function requireRateWithinAccount({ accountRequestsPerMinute: most }: Caller, rate: number | undefined): void {
  if (most === undefined || rate === undefined || rate <= most) return;
  throw new Fault(
    "invalid_request",
    `All keys of your account may send ${most} requests a minute together, so no key may have more. Ask the operator to raise it.`,
    { param: "requests_per_minute" },
  );
}

/** Refuses a budget that is no part of the caller's: `most` is what the key may have. */
export function requireBudgetWithin(most: Budget | undefined, { scopes, budget }: ApiKeySettings): void {
  // Only inference spends.
  if (most === undefined || !scopes.includes("inference")) return;
  if (budget !== undefined && budget.period === most.period && budget.limit <= most.limit) return;
  throw exceeded("budget", "Your key has a budget, of which it can give away what is not spent, with the same period");
}

/** A bare name stands for the models of every provider, so it includes the full names. */
function isModelWithin(name: string, models: ReadonlySet<string>): boolean {
  return models.has(name) || models.has(name.slice(name.indexOf("/") + 1));
}

function exceeded(param: string, own: string): Fault {
  return new Fault(
    "insufficient_scope",
    `${own}. It can't make, change or rotate a key that lasts longer or reaches further; use a key without this limit, or the dashboard.`,
    { param },
  );
}
