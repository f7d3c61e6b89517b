import type { Evidence, ModelEvidence, OutcomeTally } from "@trunkline/core/prediction.ts";
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

/** More than the router knows, and bounded against made-up names. */
const MAX_DOMAINS = 1_024;

/** The outcomes of one account, model and domain. */
class StatsEntry {
  readonly sum = new DecayingSum();
  readonly key: OutcomeKey;
  readonly #own: number[];
  readonly #at: number;
  lends: boolean;

  /** `own`: the sums of all domains, where readers find this one at twice its place. */
  constructor(key: OutcomeKey, own: number[], place: number, lends: boolean) {
    this.key = key;
    this.#own = own;
    this.#at = 2 * place;
    this.lends = lends;
    makeRoom(own, place);
  }

  add(increment: SumIncrement): void {
    this.sum.add(increment);
    this.#show();
  }

  reset(tally: OutcomeTally): void {
    this.sum.reset(tally);
    this.#show();
  }

  #show(): void {
    this.#own[this.#at] = this.sum.weight;
    this.#own[this.#at + 1] = this.sum.surplus;
  }
}

/** The shared outcomes of all accounts with one model. */
class SharedModelStats implements ModelEvidence {
  readonly own = NO_SUMS;
  readonly shared: number[] = emptySums();

  load(place: number, { accounts, weight, surplus }: SharedOutcomeRow): void {
    const trust = (accounts / (accounts + SHARED_PRIOR_ACCOUNTS)) ** 2;
    makeRoom(this.shared, place);
    this.shared[2 * place] = Math.max(0, weight) * trust;
    this.shared[2 * place + 1] = surplus * trust;
  }
}

/** An account's own outcomes with one model, and the shared ones. */
class AccountModelStats implements ModelEvidence {
  /** By the place of the domain. */
  readonly entries: (StatsEntry | undefined)[] = [];
  readonly own: number[] = emptySums();
  readonly shared: readonly number[];

  constructor({ shared }: SharedModelStats) {
    this.shared = shared;
  }
}

/** Of one representation in memory with those that hold sums, so that readers are fast. */
function emptySums(): number[] {
  const sums = [0.5];
  sums.length = 0;
  return sums;
}

const NO_SUMS: readonly number[] = emptySums();

function makeRoom(sums: number[], place: number): void {
  while (sums.length < 2 * place + 2) sums.push(0);
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
  readonly #places = new Map<string, number>();
  readonly #pending = new Set<StatsEntry>();
  readonly #maxAccounts: number;
  /** Accounts that were read and not yet requested from the store. */
  #unreadAccounts = new Set<string>();
  #uses = 0;
  /** The account that was asked for last, since one request asks about every model. */
  #lastAccountId: string | undefined;
  #lastAccount: AccountStats | undefined;

  constructor(mostAccounts = MAX_ACCOUNTS) {
    this.#maxAccounts = mostAccounts;
  }

  placeOf(domain: string): number {
    const known = this.#places.get(domain);
    if (known !== undefined) return known;
    const place = this.#places.size;
    if (place >= MAX_DOMAINS) return -1;
    this.#places.set(domain, place);
    return place;
  }

  forModel(accountId: string, model: string): ModelEvidence | undefined {
    if (accountId !== this.#lastAccountId || this.#lastAccount === undefined) {
      this.#lastAccountId = accountId;
      this.#lastAccount = this.#accounts.get(accountId);
    }
    const account = this.#lastAccount;
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
    statsEntry.add(outcomeIncrement);
    this.#pending.add(statsEntry);
  }

  /** Takes the unwritten changes, with a function that puts them back if the write fails. */
  takePending(): { readonly changes: LearningBatch["outcomes"]; putBack(): void } {
    const leaving = Array.from(this.#pending, (statsEntry) => ({ statsEntry, added: statsEntry.sum.takePending() }));
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
    if (known === statsEntry) statsEntry.sum.putBack(added);
    else known.add(added);
    this.#pending.add(known);
  }

  /** Takes stored sums of accounts in memory. Others are read when needed. */
  loadOwn(rows: readonly AccountOutcomeRow[]): void {
    for (const row of rows) if (this.#accounts.has(row.accountId)) this.#statsOf(row, true)?.reset(row);
  }

  loadShared(rows: readonly SharedOutcomeRow[]): void {
    for (const row of rows) {
      const place = this.placeOf(row.domain);
      if (place >= 0) this.#sharedModelOf(row.model).load(place, row);
    }
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
    this.#lastAccount = undefined;
  }

  #statsOf({ accountId, model, domain }: OutcomeKey, lends: boolean): StatsEntry | undefined {
    const account = this.#accountOf(accountId);
    let modelStats = account.byModel.get(model);
    if (modelStats === undefined) {
      modelStats = new AccountModelStats(this.#sharedModelOf(model));
      account.byModel.set(model, modelStats);
    }
    const place = this.placeOf(domain);
    const known = modelStats.entries[place];
    if (known !== undefined || place < 0 || account.size >= MAX_ENTRIES_PER_ACCOUNT) return known;
    const statsEntry = new StatsEntry({ accountId, model, domain }, modelStats.own, place, lends);
    modelStats.entries[place] = statsEntry;
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
}
