import type { BudgetPeriod, Caller, Scope } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type {
  ApiKey,
  ApiKeySettings,
  ApiKeyStore,
  ApiKeyWithUsage,
  KeyFilter,
  KeyState,
  StoredSecret,
} from "./api-key.ts";

/** A new secret, to be shown once, and what is kept of it. */
export interface MintedSecret {
  readonly secret: string;
  readonly kept: StoredSecret;
}

/** What the desk is set up with. */
export interface ApiKeysDependencies {
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

  async list(
    caller: Caller,
    filter: KeyFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<ApiKeyWithUsage[]> {
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
