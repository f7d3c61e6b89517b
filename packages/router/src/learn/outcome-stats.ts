import { EMPTY_TALLY, type Evidence, type ModelEvidence, type OutcomeTally } from "@trunkline/core/prediction.ts";
import {
  type AccountOutcomeRow,
  DecayingSum,
  type LearningBatch,
  type OutcomeKey,
  type SharedOutcomeRow,
  type SumIncrement,
  toSumChange,
} from "./learning-store.ts";

/** How many accounts are held in memory. The least recently used are dropped and read again when needed. */
const MAX_ACCOUNTS = 10_000;
/** The limit of models and domains per account: more than clients use, and bounded against made-up names. */
const MAX_ENTRIES_PER_ACCOUNT = 2_000;
/** The outcomes of one account hardly count for others; those of nine count a quarter, those of thirty more than half. */
const SHARED_PRIOR_ACCOUNTS = 9;

/** The outcomes of one account, model and domain. Returned without a copy, so that reads are free. */
class StatsEntry {
  readonly own = new DecayingSum();
  readonly shared: OutcomeTally;
  readonly key: OutcomeKey;
  lends: boolean;

  constructor(key: OutcomeKey, shared: OutcomeTally, lends: boolean) {
    this.key = key;
    this.shared = shared;
    this.lends = lends;
  }
}

/** The shared outcomes of all accounts. */
class SharedStats implements OutcomeTally {
  weight = 0;
  surplus = 0;
  /** For accounts without own outcomes. */
  readonly forNewAccounts = { own: EMPTY_TALLY, shared: this };

  load({ accounts, weight, surplus }: SharedOutcomeRow): void {
    const trust = (accounts / (accounts + SHARED_PRIOR_ACCOUNTS)) ** 2;
    this.weight = Math.max(0, weight) * trust;
    this.surplus = surplus * trust;
  }
}

/** The shared outcomes with one model, for accounts that have none with it. */
class SharedModelStats implements ModelEvidence {
  readonly byDomain = new Map<string, SharedStats>();

  inDomain(domain: string): { readonly own: OutcomeTally; readonly shared: OutcomeTally } | undefined {
    return this.byDomain.get(domain)?.forNewAccounts;
  }
}

/** An account's own outcomes with one model, else the shared ones. */
class AccountModelStats implements ModelEvidence {
  readonly byDomain = new Map<string, StatsEntry>();
  readonly #shared: SharedModelStats;

  constructor(shared: SharedModelStats) {
    this.#shared = shared;
  }

  inDomain(domain: string): { readonly own: OutcomeTally; readonly shared: OutcomeTally } | undefined {
    return this.byDomain.get(domain) ?? this.#shared.inDomain(domain);
  }
}

class AccountStats {
  readonly byModel = new Map<string, AccountModelStats>();
  size = 0;
  lastUse = 0;
  /** Whether it was requested from the store. */
  isRead = false;
}

export interface OutcomeIncrement extends OutcomeKey {
  readonly steps: number;
  readonly weight: number;
  readonly surplus: number;
  /** Whether others may learn from it. */
  readonly lends: boolean;
}

/**
 * What was learnt while serving. An account's own outcomes count at once. For other accounts they count once they are
 * stored, each account with a bounded weight.
 */
export class OutcomeStats implements Evidence {
  readonly #accounts = new Map<string, AccountStats>();
  readonly #shared = new Map<string, SharedModelStats>();
  readonly #pending = new Set<StatsEntry>();
  readonly #maxAccounts: number;
  /** Accounts that were read and not yet requested from the store. */
  #unreadAccounts = new Set<string>();
  #uses = 0;

  constructor(mostAccounts = MAX_ACCOUNTS) {
    this.#maxAccounts = mostAccounts;
  }

  forModel(accountId: string, model: string): ModelEvidence | undefined {
    const account = this.#accounts.get(accountId);
    if (account !== undefined) account.lastUse = ++this.#uses;
    if (account?.isRead !== true) this.requestAccount(accountId);
    return account?.byModel.get(model) ?? this.#shared.get(model);
  }

  record(outcomeIncrement: OutcomeIncrement): void {
    // NaN or Infinity would destroy the sum.
    if (!Number.isFinite(outcomeIncrement.weight) || !Number.isFinite(outcomeIncrement.surplus)) return;
    const statsEntry = this.#statsOf(outcomeIncrement, outcomeIncrement.lends);
    if (statsEntry === undefined) return;
    statsEntry.lends = outcomeIncrement.lends;
    statsEntry.own.add(outcomeIncrement);
    this.#pending.add(statsEntry);
  }

  /** Takes the unwritten changes, with a function that puts them back if the write fails. */
  takePending(): { readonly changes: LearningBatch["outcomes"]; putBack(): void } {
    const leaving = Array.from(this.#pending, (statsEntry) => ({ statsEntry, added: statsEntry.own.takePending() }));
    this.#pending.clear();
    return {
      changes: leaving.map(({ statsEntry: { key, lends }, added }) => ({ ...key, ...toSumChange(added), lends })),
      putBack: () => {
        for (const { statsEntry, added } of leaving) this.#putBack(statsEntry, added);
      },
    };
  }

  /** Its account may have been dropped and read again meanwhile: each key is written once. */
  #putBack(statsEntry: StatsEntry, added: SumIncrement): void {
    const known = this.#statsOf(statsEntry.key, statsEntry.lends) ?? statsEntry;
    if (known === statsEntry) statsEntry.own.putBack(added);
    else known.own.add(added);
    this.#pending.add(known);
  }

  /** Takes stored sums of accounts in memory. Others are read when needed. */
  loadOwn(rows: readonly AccountOutcomeRow[]): void {
    for (const row of rows) if (this.#accounts.has(row.accountId)) this.#statsOf(row, true)?.own.reset(row);
  }

  loadShared(rows: readonly SharedOutcomeRow[]): void {
    for (const row of rows) this.#sharedOf(row.model, row.domain).load(row);
  }

  get hasUnreadAccounts(): boolean {
    return this.#unreadAccounts.size > 0;
  }

  /** Requests an account from the store. */
  requestAccount(accountId: string): void {
    if (this.#unreadAccounts.size < this.#maxAccounts) this.#unreadAccounts.add(accountId);
  }

  /** The accounts to request from the store. */
  takeUnreadAccounts(): string[] {
    const strangers = [...this.#unreadAccounts];
    this.#unreadAccounts = new Set();
    return strangers;
  }

  /** Sets the stored sums of these accounts. */
  loadAccounts(accountIds: Iterable<string>, rows: readonly AccountOutcomeRow[]): void {
    for (const accountId of accountIds) this.#accountOf(accountId).isRead = true;
    this.loadOwn(rows);
  }

  #accountOf(accountId: string): AccountStats {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      if (this.#accounts.size >= this.#maxAccounts) this.#evict();
      account = new AccountStats();
      this.#accounts.set(accountId, account);
    }
    account.lastUse = ++this.#uses;
    return account;
  }

  /** Drops a tenth at once, so that the search for the oldest is rare. Accounts with unwritten changes stay. */
  #evict(): void {
    const awaited = new Set(Array.from(this.#pending, ({ key }) => key.accountId));
    const oldest = [...this.#accounts]
      .filter(([id]) => !awaited.has(id))
      .sort(([, one], [, other]) => one.lastUse - other.lastUse);
    for (const [id] of oldest.slice(0, Math.ceil(this.#maxAccounts / 10))) this.#accounts.delete(id);
  }

  #statsOf({ accountId, model, domain }: OutcomeKey, lends: boolean): StatsEntry | undefined {
    const account = this.#accountOf(accountId);
    let modelStats = account.byModel.get(model);
    if (modelStats === undefined) {
      modelStats = new AccountModelStats(this.#sharedModelOf(model));
      account.byModel.set(model, modelStats);
    }
    const known = modelStats.byDomain.get(domain);
    if (known !== undefined || account.size >= MAX_ENTRIES_PER_ACCOUNT) return known;
    const statsEntry = new StatsEntry({ accountId, model, domain }, this.#sharedOf(model, domain), lends);
    modelStats.byDomain.set(domain, statsEntry);
    account.size++;
    return statsEntry;
  }

  #sharedModelOf(model: string): SharedModelStats {
    let sharedModelStats = this.#shared.get(model);
    if (sharedModelStats === undefined) {
      sharedModelStats = new SharedModelStats();
      this.#shared.set(model, sharedModelStats);
    }
    return sharedModelStats;
  }

  #sharedOf(model: string, domain: string): SharedStats {
    const { byDomain } = this.#sharedModelOf(model);
    let tally = byDomain.get(domain);
    if (tally === undefined) {
      tally = new SharedStats();
      byDomain.set(domain, tally);
    }
    return tally;
  }
}
