import type { Caller, Scope } from "../domain/caller.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/fault.ts";
import { isId, newId } from "../kit/id.ts";
import type { ApiKey, ApiKeyStore, KeptSecret, KeyTerms } from "./api-key.ts";

/** A new secret, to be shown once, and what is kept of it. */
export interface MintedSecret {
  readonly secret: string;
  readonly kept: KeptSecret;
}

/** Making, changing, rotating and revoking an account's keys. */
export class KeyDesk {
  readonly #store: ApiKeyStore;
  readonly #mint: () => MintedSecret;
  readonly #clock: Clock;
  /** Called after every change, so that this instance holds to it before the answer is given; others hear of it by notice. */
  readonly #changed: () => void;

  constructor(store: ApiKeyStore, mint: () => MintedSecret, clock: Clock, changed: () => void) {
    this.#store = store;
    this.#mint = mint;
    this.#clock = clock;
    this.#changed = changed;
  }

  async create(
    caller: Caller,
    terms: KeyTerms,
    accountId = caller.accountId,
  ): Promise<{ key: ApiKey; secret: string }> {
    refuseUngranted(caller, terms.scopes);
    const { secret, kept } = this.#mint();
    const madeBy = accountId === caller.accountId ? caller.person?.id : undefined;
    const key = await this.#store.create(newId(this.#clock.now()), accountId, terms, kept, madeBy);
    this.#changed();
    return { key, secret };
  }

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<ApiKey[]> {
    return this.#store.list(caller.accountId, limit, cursor);
  }

  async find(caller: Caller, id: string): Promise<ApiKey> {
    const key = isId(id) ? await this.#store.find(caller.accountId, id) : undefined;
    if (key === undefined) throw noSuchKey();
    return key;
  }

  async change(caller: Caller, id: string, change: Partial<KeyTerms>): Promise<ApiKey> {
    const key = await this.find(caller, id);
    const terms = { ...key, ...change };
    // Both what it has and what it shall have: nobody widens or takes over a key mightier than their own.
    refuseUngranted(caller, [...key.scopes, ...terms.scopes]);
    await this.#store.change(id, terms);
    this.#changed();
    return this.find(caller, id);
  }

  async rotate(
    caller: Caller,
    id: string,
    graceSeconds: number,
  ): Promise<{ key: ApiKey; secret: string; oldEndsAt: Date }> {
    const key = await this.find(caller, id);
    refuseUngranted(caller, key.scopes);
    const { secret, kept } = this.#mint();
    const oldEndsAt = new Date(this.#clock.now() + graceSeconds * 1000);
    await this.#store.rotate(id, kept, oldEndsAt);
    this.#changed();
    return { key: await this.find(caller, id), secret, oldEndsAt };
  }

  async revoke(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#store.revoke(caller.accountId, id))) throw noSuchKey();
    this.#changed();
  }
}

function refuseUngranted(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope));
  if (missing !== undefined) {
    throw new Fault(
      "insufficient_scope",
      `Your key lacks the scope \`${missing}\`, so it can't give it to another key.`,
      { param: "scopes" },
    );
  }
}

function noSuchKey(): Fault {
  return new Fault("not_found", "There is no such key. List yours with GET /v1/keys.");
}
