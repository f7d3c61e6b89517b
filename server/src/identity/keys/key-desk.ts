import type { BudgetPeriod, Caller, Scope } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type {
  ApiKey,
  ApiKeyStore,
  KeptSecret,
  KeyFilter,
  KeyStanding,
  KeyState,
  KeyTerms,
} from "./api-key.ts";

/** A new secret, to be shown once, and what is kept of it. */
export interface MintedSecret {
  readonly secret: string;
  readonly kept: KeptSecret;
}

/** What the desk is set up with. */
export interface KeyDeskParts {
  readonly store: ApiKeyStore;
  readonly mint: () => MintedSecret;
  readonly clock: Clock;
  /** Called after every change, so that this instance holds to it before the answer is given; others hear of it by notice. */
  readonly changed: () => void;
  /** When the period that holds a moment began and ends in a zone; undefined for a budget in total. */
  readonly startOfPeriod: (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;
  readonly endOfPeriod: (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;
}

/** Making, changing, rotating and revoking an account's keys. */
export class KeyDesk {
  readonly #parts: KeyDeskParts;

  constructor(parts: KeyDeskParts) {
    this.#parts = parts;
  }

  async create(
    caller: Caller,
    terms: KeyTerms,
    accountId = caller.accountId,
  ): Promise<{ key: KeyStanding; secret: string }> {
    refuseUngranted(caller, terms.scopes);
    const { store, mint, clock, changed } = this.#parts;
    const { secret, kept } = mint();
    // Members know each other by name; who works for the operator is nothing that another account is told.
    const madeBy = accountId === caller.accountId ? caller.person?.id : undefined;
    const key = await store.create(newId(clock.now()), accountId, terms, kept, madeBy);
    changed();
    return { key: await this.#standingOf(key), secret };
  }

  async list(
    caller: Caller,
    filter: KeyFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<KeyStanding[]> {
    const { store, clock } = this.#parts;
    const now = new Date(clock.now());
    return this.#standingsOf(await store.list(caller.accountId, { ...filter, now }, limit, cursor));
  }

  async find(caller: Caller, id: string): Promise<KeyStanding> {
    return this.#standingOf(await this.#findLiving(caller, id));
  }

  async change(caller: Caller, id: string, change: Partial<KeyTerms>): Promise<KeyStanding> {
    const key = await this.#findLiving(caller, id);
    const terms = { ...key, ...change };
    // Both what it has and what it shall have: nobody widens or takes over a key mightier than their own.
    refuseUngranted(caller, [...key.scopes, ...terms.scopes]);
    await this.#parts.store.change(id, terms);
    this.#parts.changed();
    return this.find(caller, id);
  }

  async rotate(
    caller: Caller,
    id: string,
    graceSeconds: number,
  ): Promise<{ key: KeyStanding; secret: string; oldEndsAt: Date }> {
    const key = await this.#findLiving(caller, id);
    refuseUngranted(caller, key.scopes);
    const { store, mint, clock, changed } = this.#parts;
    const { secret, kept } = mint();
    const oldEndsAt = new Date(clock.now() + graceSeconds * 1000);
    await store.rotate(id, kept, oldEndsAt);
    changed();
    return { key: await this.find(caller, id), secret, oldEndsAt };
  }

  /** Whatever the key may do: stopping a leak must not wait for somebody mightier. */
  async revoke(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#parts.store.revoke(caller.accountId, id))) throw noSuchKey();
    this.#parts.changed();
  }

  async #findLiving(caller: Caller, id: string): Promise<ApiKey> {
    const key = isId(id) ? await this.#parts.store.find(caller.accountId, id) : undefined;
    if (key === undefined) throw noSuchKey();
    return key;
  }

  async #standingOf(key: ApiKey): Promise<KeyStanding> {
    const [standing] = await this.#standingsOf([key]);
    if (standing === undefined) throw new Error("A key has no standing.");
    return standing;
  }

  async #standingsOf(keys: readonly ApiKey[]): Promise<KeyStanding[]> {
    const { store, clock, startOfPeriod, endOfPeriod } = this.#parts;
    const now = clock.now();
    const bound = (reckon: typeof startOfPeriod, { budget, timeZone }: ApiKey) => {
      const moment = budget && reckon(budget.period, now, timeZone);
      return moment === undefined ? undefined : new Date(moment);
    };
    const uses = await store.usesOf(keys.map((key) => ({ id: key.id, since: bound(startOfPeriod, key) })));
    return keys.map((key, index) => {
      const { requests, spent, spentSince } = uses[index] ?? UNUSED;
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

const UNUSED = { requests: 0n, spent: 0n, spentSince: 0n };

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): KeyState {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt.getTime() <= now ? "expired" : "active";
}

function refuseUngranted(caller: Caller, scopes: readonly Scope[]): void {
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
