import type { Caller } from "@trunkline/core/caller.ts";
import type { CreditRequestState } from "@trunkline/core/credit-request.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";

/** An account's request for credits, to the operator. */
export interface CreditRequest {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly balance: NanoCredits;
  /** The e-mail address of the person who asked; undefined: a key asked, or the person is gone. */
  readonly email: string | undefined;
  readonly message: string;
  readonly state: CreditRequestState;
  /** What was granted. */
  readonly amount: NanoCredits | undefined;
  /** What the operator wrote. */
  readonly reply: string | undefined;
  readonly createdAt: Date;
  readonly decidedAt: Date | undefined;
}

/** How the operator decided. */
export type CreditDecision =
  | { readonly state: "granted"; readonly amount: NanoCredits; readonly reply: string | undefined }
  | { readonly state: "declined"; readonly reply: string | undefined };

export interface CreditRequestStore {
  /** undefined: the account has an open one already. */
  create(draft: {
    readonly id: string;
    readonly accountId: string;
    readonly personId: string | undefined;
    readonly message: string;
  }): Promise<CreditRequest | undefined>;
  /** Newest first, of one account or of all. */
  list(filter: CreditRequestFilter, limit: number, cursor: string | undefined): Promise<CreditRequest[]>;
  /** Ends an open request; undefined: there is none. Credits are granted in the same transaction. */
  decide(id: string, decision: CreditDecision): Promise<CreditRequest | undefined>;
  /** False where the account has no such open request. */
  withdraw(accountId: string, id: string): Promise<boolean>;
}

export interface CreditRequestFilter {
  readonly accountId?: string | undefined;
  readonly state?: CreditRequestState | undefined;
}

interface CreditRequestDependencies {
  readonly store: CreditRequestStore;
  /** Refuses an account that asks too often. */
  readonly admit: (accountId: string) => Promise<void>;
  /** Called after credits were added to an account. */
  readonly onCredit: (accountId: string) => void;
  /** Called after a request was made: the operator is notified. */
  readonly onAsked: (request: CreditRequest) => void;
  /** Called after a decision: the person who asked is notified. */
  readonly onDecided: (request: CreditRequest) => void;
}

/** Accounts ask for credits, and the operator grants or declines them. */
export class CreditRequests {
  readonly #dependencies: CreditRequestDependencies;

  constructor(dependencies: CreditRequestDependencies) {
    this.#dependencies = dependencies;
  }

  async create(caller: Caller, message: string): Promise<CreditRequest> {
    const { store, admit, onAsked } = this.#dependencies;
    if (caller.operator)
      throw new Fault("conflict", "Your organisation runs this service: add credits under Operator, Accounts.");
    await admit(caller.accountId);
    const { accountId, person } = caller;
    const created = await store.create({ id: newId(), accountId, personId: person?.id, message });
    if (created === undefined)
      throw new Fault(
        "conflict",
        "Your organisation has an open request for credits. Wait for the operator's decision, or withdraw it first.",
      );
    onAsked(created);
    return created;
  }

  list(filter: CreditRequestFilter, limit: number, cursor: string | undefined): Promise<CreditRequest[]> {
    return this.#dependencies.store.list(filter, limit, cursor);
  }

  async withdraw({ accountId }: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#dependencies.store.withdraw(accountId, id))) throw notOpen();
  }

  async decide(id: string, decision: CreditDecision): Promise<CreditRequest> {
    const { store, onCredit, onDecided } = this.#dependencies;
    const decided = isId(id) ? await store.decide(id, decision) : undefined;
    if (decided === undefined) throw notOpen();
    if (decided.state === "granted") onCredit(decided.accountId);
    onDecided(decided);
    return decided;
  }
}

function notOpen(): Fault {
  return new Fault("not_found", "There is no such open request: it was decided or withdrawn, or never made.");
}
