import type { BudgetPeriod, Caller, Scope } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { ApiKeySettings } from "./api-key-settings.ts";
import { inheritLimits, requireBudgetWithin, requireOwnLimits, requireRateWithinAccount } from "./key-limits.ts";

/** A new secret, which is shown once, and its stored form. */
interface MintedSecret {
  readonly secret: string;
  readonly stored: StoredSecret;
}

interface ApiKeysDependencies {
  readonly store: ApiKeyStore;
  readonly mint: () => MintedSecret;
  readonly clock: Clock;
  /** The requests a minute of a key without a limit of its own. */
  /** The rate of keys without one of their own, which may change. */
  readonly limits: { readonly requestsPerMinute: number };
  /** Called after every change, so that it holds on this instance before the response. Others learn it by notification. */
  readonly onChange: () => void;
  /** The bounds of the period that contains `now` in a zone; undefined for a total budget. */
  readonly startOfPeriod: (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;
  readonly endOfPeriod: (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;
}

/** Creates, changes, rotates and revokes an account's keys. */
export class ApiKeys {
  readonly #dependencies: ApiKeysDependencies;

  constructor(dependencies: ApiKeysDependencies) {
    this.#dependencies = dependencies;
  }

  async create(
    caller: Caller,
    terms: ApiKeySettings,
    accountId = caller.accountId,
  ): Promise<{ key: ApiKeyWithUsage; secret: string }> {
    const { mint } = this.#dependencies;
    const { secret, stored } = mint();
    // Another account must not learn who works for the operator.
    const madeBy = accountId === caller.accountId ? caller.person?.id : undefined;
    return { key: await this.#create(caller, terms, accountId, { secret: stored, madeBy }), secret };
  }

  /** A key without a secret and without a maker: it stays when people leave. */
  createServiceAccount(caller: Caller, terms: ApiKeySettings): Promise<ApiKeyWithUsage> {
    return this.#create(caller, terms, caller.accountId, { secret: undefined, madeBy: undefined });
  }

  async #create(
    caller: Caller,
    terms: ApiKeySettings,
    accountId: string,
    { secret, madeBy }: { readonly secret: StoredSecret | undefined; readonly madeBy: string | undefined },
  ): Promise<ApiKeyWithUsage> {
    requireOwnScopes(caller, terms.scopes);
    const { store, clock, onChange, limits } = this.#dependencies;
    const defaultRate = limits.requestsPerMinute;
    const isOwn = accountId === caller.accountId;
    const limited = inheritLimits(caller, terms, defaultRate);
    // In another account the operator's key gives a rate freely where it has none of its own.
    requireOwnLimits(caller, limited, defaultRate, isOwn ? defaultRate : Number.POSITIVE_INFINITY);
    if (isOwn) requireRateWithinAccount(caller, terms.requestsPerMinute);
    requireBudgetWithin(caller.budget, limited);
    const givesBudget = caller.budget !== undefined && limited.scopes.includes("inference");
    const takenFrom = givesBudget ? { keyId: caller.keyId, spent: await this.#spentBy(caller) } : undefined;
    const key = await store.create(newId(clock.now()), accountId, limited, secret, madeBy, takenFrom);
    onChange();
    return this.#withUsage(key);
  }

  async list(caller: Caller, filter: KeyFilter, limit: number, cursor: string | undefined): Promise<ApiKeyWithUsage[]> {
    const { store, clock } = this.#dependencies;
    const now = new Date(clock.now());
    return this.#allWithUsage(await store.list(caller.accountId, { ...filter, now }, limit, cursor));
  }

  async find(caller: Caller, id: string): Promise<ApiKeyWithUsage> {
    return this.#withUsage(await this.#findActive(caller, id));
  }

  async change(caller: Caller, id: string, change: Partial<ApiKeySettings>): Promise<ApiKeyWithUsage> {
    if (id === caller.keyId)
      throw new Fault("insufficient_scope", "No key changes itself. Use another key, or the dashboard.");
    const defaultRate = this.#dependencies.limits.requestsPerMinute;
    const key = await this.#findActive(caller, id);
    const terms = { ...key, ...change };
    // Checks the old and the new terms: a caller can't change a key that may do more than they may.
    requireOwnScopes(caller, [...key.scopes, ...terms.scopes]);
    requireOwnLimits(caller, key, defaultRate);
    requireOwnLimits(caller, terms, defaultRate);
    // A rate from before the account's was lowered may stay.
    if (terms.requestsPerMinute !== key.requestsPerMinute) requireRateWithinAccount(caller, terms.requestsPerMinute);
    // More would have to be taken off the caller's own budget.
    if (caller.budget !== undefined) requireBudgetWithin(key.budget ?? { ...caller.budget, limit: 0n }, terms);
    await this.#dependencies.store.change(id, terms);
    this.#dependencies.onChange();
    return this.find(caller, id);
  }

  async rotate(
    caller: Caller,
    id: string,
    graceSeconds: number,
  ): Promise<{ key: ApiKeyWithUsage; secret: string; oldEndsAt: Date }> {
    await this.requireControl(caller, id);
    const { store, mint, clock, onChange } = this.#dependencies;
    const { secret, stored } = mint();
    const oldEndsAt = new Date(clock.now() + graceSeconds * 1000);
    await store.rotate(id, stored, oldEndsAt);
    onChange();
    return { key: await this.find(caller, id), secret, oldEndsAt };
  }

  /** Refuses those who could not have made the key themselves, and so may not have a secret of it. */
  async requireControl(caller: Caller, id: string): Promise<void> {
    const key = await this.#findActive(caller, id);
    requireOwnScopes(caller, key.scopes);
    requireOwnLimits(caller, key, this.#dependencies.limits.requestsPerMinute);
    // The secret of another key would add its budget to the caller's.
    if (caller.budget !== undefined && id !== caller.keyId) requireBudgetWithin({ ...caller.budget, limit: 0n }, key);
  }

  /** Needs no scopes of the revoked key: stopping a leak must not wait for a caller who has them. */
  async revoke(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#dependencies.store.revoke(caller.accountId, id))) throw noSuchKey();
    this.#dependencies.onChange();
  }

  /** What the caller's key has spent in the running period of its budget. */
  async #spentBy({ accountId, keyId }: Caller): Promise<NanoCredits> {
    const key = await this.#dependencies.store.find(accountId, keyId);
    return key === undefined ? 0n : ((await this.#withUsage(key)).spentInPeriod ?? 0n);
  }

  async #findActive(caller: Caller, id: string): Promise<ApiKey> {
    const key = isId(id) ? await this.#dependencies.store.find(caller.accountId, id) : undefined;
    if (key === undefined) throw noSuchKey();
    return key;
  }

  async #withUsage(key: ApiKey): Promise<ApiKeyWithUsage> {
    const [withUsage] = await this.#allWithUsage([key]);
    if (withUsage === undefined) throw new Error("A key has no usage.");
    return withUsage;
  }

  async #allWithUsage(keys: readonly ApiKey[]): Promise<ApiKeyWithUsage[]> {
    const { store, clock, startOfPeriod, endOfPeriod } = this.#dependencies;
    const now = clock.now();
    const bound = (boundOf: typeof startOfPeriod, { budget, timeZone }: ApiKey) => {
      const moment = budget && boundOf(budget.period, now, timeZone);
      return moment === undefined ? undefined : new Date(moment);
    };
    const usages = await store.usageOf(keys.map((key) => ({ id: key.id, since: bound(startOfPeriod, key) })));
    return keys.map((key, index) => {
      const { requests, spent, spentSince } = usages[index] ?? NO_USAGE;
      return {
        ...key,
        state: stateOf(key, now),
        requests,
        spent,
        spentInPeriod: key.budget === undefined ? undefined : spentSince,
        periodEndsAt: bound(endOfPeriod, key),
      };
    });
  }
}

const NO_USAGE = { requests: 0n, spent: 0n, spentSince: 0n };

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): KeyState {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt.getTime() <= now ? "expired" : "active";
}

function requireOwnScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope));
  if (missing !== undefined) {
    throw new Fault(
      "insufficient_scope",
      caller.person === undefined
        ? `Your key lacks the scope \`${missing}\`, so it can't give it to another key.`
        : `Your role does not reach as far as the scope \`${missing}\`, so you can neither give it to a key nor change a key that has it.`,
      { param: "scopes" },
    );
  }
}

function noSuchKey(): Fault {
  return new Fault("not_found", "There is no such key. List yours with GET /v1/keys.");
}

export interface ApiKey extends ApiKeySettings {
  readonly id: string;
  readonly accountId: string;
  /** It belongs to no person, and has short-lived secrets only. */
  readonly serviceAccount: boolean;
  /** Enough of the newest secret to recognise it by. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  /** The member who created it; undefined: another key or the operator did. */
  readonly madeBy: { readonly id: string; readonly name: string } | undefined;
  /** When the last of the rotated secrets ends. */
  readonly oldSecretEndsAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** Its account's zone, in which the periods of its budget start. */
  readonly timeZone: string;
}

export const KEY_STATES = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** A key's usage. */
export interface KeyUsage {
  /** All answered requests. */
  readonly requests: bigint;
  readonly spent: NanoCredits;
  /** The part of `spent` since the given time. */
  readonly spentSince: NanoCredits;
}

/** A key with its state and usage. */
export interface ApiKeyWithUsage extends ApiKey {
  readonly state: KeyState;
  readonly requests: bigint;
  readonly spent: NanoCredits;
  /** In the current period of its budget; undefined: it has no budget. */
  readonly spentInPeriod: NanoCredits | undefined;
  /** When its budget resets; undefined: never. */
  readonly periodEndsAt: Date | undefined;
}

/** A filter for the list of keys. */
export interface KeyFilter {
  /** undefined: all except revoked keys. */
  readonly state: KeyState | undefined;
  /** Part of the name or the hint, ignoring case. */
  readonly search: string | undefined;
  /** Service accounts instead of keys. */
  readonly serviceAccounts?: boolean;
}

/** The stored form of a secret: its hash and its hint. */
export interface StoredSecret {
  readonly hash: string;
  readonly hint: string;
}

export interface ApiKeyStore {
  /** Without a secret it is a service account. Takes the new key's budget off `takenFrom`'s, of which what is spent must stay covered; a fault where too little is left. */
  create(
    id: string,
    accountId: string,
    terms: ApiKeySettings,
    secret: StoredSecret | undefined,
    madeBy: string | undefined,
    takenFrom: { readonly keyId: string; readonly spent: NanoCredits } | undefined,
  ): Promise<ApiKey>;
  /** Newest first. */
  list(
    accountId: string,
    filter: KeyFilter & { readonly now: Date },
    limit: number,
    cursor: string | undefined,
  ): Promise<ApiKey[]>;
  /** The usage of keys, each since its own time; undefined: since its creation. */
  usageOf(keys: readonly { readonly id: string; readonly since: Date | undefined }[]): Promise<KeyUsage[]>;
  find(accountId: string, id: string): Promise<ApiKey | undefined>;
  change(id: string, terms: ApiKeySettings): Promise<void>;
  /** The new secret is valid at once; older ones end at `oldEndsAt`. */
  rotate(id: string, secret: StoredSecret, oldEndsAt: Date): Promise<void>;
  /** False where there is no such active key. */
  revoke(accountId: string, id: string): Promise<boolean>;
}
