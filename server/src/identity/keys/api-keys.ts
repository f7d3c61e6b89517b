import type { Budget, BudgetPeriod, Caller, Scope } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { CacheOptions } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { SafetyRules } from "@trunkline/core/safety-policy.ts";

/** A new secret, to be shown once, and what is kept of it. */
interface MintedSecret {
  readonly secret: string;
  readonly kept: StoredSecret;
}

/** What the desk is set up with. */
interface ApiKeysDependencies {
  readonly store: ApiKeyStore;
  readonly mint: () => MintedSecret;
  readonly clock: Clock;
  /** Called after every change, so that this instance holds to it before the answer is given; others hear of it by notice. */
  readonly onChange: () => void;
  /** When the period that holds a moment began and ends in a zone; undefined for a budget in total. */
  readonly startOfPeriod: (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;
  readonly endOfPeriod: (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;
}

/** Making, changing, rotating and revoking an account's keys. */
export class ApiKeys {
  readonly #parts: ApiKeysDependencies;

  constructor(parts: ApiKeysDependencies) {
    this.#parts = parts;
  }

  async create(
    caller: Caller,
    terms: ApiKeySettings,
    accountId = caller.accountId,
  ): Promise<{ key: ApiKeyWithUsage; secret: string }> {
    requireOwnScopes(caller, terms.scopes);
    const { store, mint, clock, onChange: changed } = this.#parts;
    const { secret, kept } = mint();
    // Members know each other by name; who works for the operator is nothing that another account is told.
    const madeBy = accountId === caller.accountId ? caller.person?.id : undefined;
    const key = await store.create(newId(clock.now()), accountId, terms, kept, madeBy);
    changed();
    return { key: await this.#withUsage(key), secret };
  }

  async list(caller: Caller, filter: KeyFilter, limit: number, cursor: string | undefined): Promise<ApiKeyWithUsage[]> {
    const { store, clock } = this.#parts;
    const now = new Date(clock.now());
    return this.#allWithUsage(await store.list(caller.accountId, { ...filter, now }, limit, cursor));
  }

  async find(caller: Caller, id: string): Promise<ApiKeyWithUsage> {
    return this.#withUsage(await this.#findActive(caller, id));
  }

  async change(caller: Caller, id: string, change: Partial<ApiKeySettings>): Promise<ApiKeyWithUsage> {
    const key = await this.#findActive(caller, id);
    const terms = { ...key, ...change };
    // Both what it has and what it shall have: nobody widens or takes over a key mightier than their own.
    requireOwnScopes(caller, [...key.scopes, ...terms.scopes]);
    await this.#parts.store.change(id, terms);
    this.#parts.onChange();
    return this.find(caller, id);
  }

  async rotate(
    caller: Caller,
    id: string,
    graceSeconds: number,
  ): Promise<{ key: ApiKeyWithUsage; secret: string; oldEndsAt: Date }> {
    const key = await this.#findActive(caller, id);
    requireOwnScopes(caller, key.scopes);
    const { store, mint, clock, onChange: changed } = this.#parts;
    const { secret, kept } = mint();
    const oldEndsAt = new Date(clock.now() + graceSeconds * 1000);
    await store.rotate(id, kept, oldEndsAt);
    changed();
    return { key: await this.find(caller, id), secret, oldEndsAt };
  }

  /** Whatever the key may do: stopping a leak must not wait for somebody mightier. */
  async revoke(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#parts.store.revoke(caller.accountId, id))) throw noSuchKey();
    this.#parts.onChange();
  }

  async #findActive(caller: Caller, id: string): Promise<ApiKey> {
    const key = isId(id) ? await this.#parts.store.find(caller.accountId, id) : undefined;
    if (key === undefined) throw noSuchKey();
    return key;
  }

  async #withUsage(key: ApiKey): Promise<ApiKeyWithUsage> {
    const [standing] = await this.#allWithUsage([key]);
    if (standing === undefined) throw new Error("A key has no standing.");
    return standing;
  }

  async #allWithUsage(keys: readonly ApiKey[]): Promise<ApiKeyWithUsage[]> {
    const { store, clock, startOfPeriod, endOfPeriod } = this.#parts;
    const now = clock.now();
    const bound = (reckon: typeof startOfPeriod, { budget, timeZone }: ApiKey) => {
      const moment = budget && reckon(budget.period, now, timeZone);
      return moment === undefined ? undefined : new Date(moment);
    };
    const uses = await store.usageOf(keys.map((key) => ({ id: key.id, since: bound(startOfPeriod, key) })));
    return keys.map((key, index) => {
      const { requests, spent, spentSince } = uses[index] ?? NO_USAGE;
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

/** What a key may do. */
export interface ApiKeySettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly budget: Budget | undefined;
  readonly models: readonly string[] | undefined;
  readonly ips: readonly string[] | undefined;
  /** For how long its answers may be given again; undefined: never, unless a request asks for it. */
  readonly cache?: CacheOptions | undefined;
  /** What it says of safety, laid over what its account says; undefined: nothing. */
  readonly safety?: SafetyRules | undefined;
}

export interface ApiKey extends ApiKeySettings {
  readonly id: string;
  readonly accountId: string;
  /** Enough of the newest secret to recognise it by. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  /** The member who made it; undefined: another key did, or the operator. */
  readonly madeBy: { readonly id: string; readonly name: string } | undefined;
  /** Until when a secret from before the last rotation still holds. */
  readonly oldSecretEndsAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** The zone of its account, in which the periods of its budget begin. */
  readonly timeZone: string;
}

export const KEY_STATES = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** What was done with a key. */
export interface KeyUsage {
  /** Answered ones, ever. */
  readonly requests: bigint;
  readonly spent: NanoCredits;
  /** Of `spent`, what was spent since the moment that was asked for. */
  readonly spentSince: NanoCredits;
}

/** A key and how it stands. */
export interface ApiKeyWithUsage extends ApiKey {
  readonly state: KeyState;
  readonly requests: bigint;
  readonly spent: NanoCredits;
  /** In the running period of its budget; undefined: it has none. */
  readonly spentInPeriod: NanoCredits | undefined;
  /** When its budget begins anew; undefined: never. */
  readonly periodEndsAt: Date | undefined;
}

/** Which keys are listed. */
export interface KeyFilter {
  /** undefined: all that are not revoked. */
  readonly state: KeyState | undefined;
  /** Found in the name or in the hint, whatever the case of its letters. */
  readonly search: string | undefined;
}

/** A secret as it is kept: its hash and what may be shown of it. */
export interface StoredSecret {
  readonly hash: string;
  readonly hint: string;
}

export interface ApiKeyStore {
  create(
    id: string,
    accountId: string,
    terms: ApiKeySettings,
    secret: StoredSecret,
    madeBy: string | undefined,
  ): Promise<ApiKey>;
  /** Newest first. */
  list(
    accountId: string,
    filter: KeyFilter & { readonly now: Date },
    limit: number,
    cursor: string | undefined,
  ): Promise<ApiKey[]>;
  /** What was done with keys, each looked at from a moment of its own; undefined: from the beginning. */
  usageOf(keys: readonly { readonly id: string; readonly since: Date | undefined }[]): Promise<KeyUsage[]>;
  find(accountId: string, id: string): Promise<ApiKey | undefined>;
  change(id: string, terms: ApiKeySettings): Promise<void>;
  /** The new secret holds at once; older ones end at `oldEndsAt`. */
  rotate(id: string, secret: StoredSecret, oldEndsAt: Date): Promise<void>;
  /** False where there is no such living key. */
  revoke(accountId: string, id: string): Promise<boolean>;
}
