import { type Evidence, type ModelEvidence, NO_TALLY, type Tally } from "@trunkline/core/prediction.ts";
import type { Learnt, OutcomeKey, OwnRow, SharedRow } from "./learning-store.ts";
import { type Addition, changeOf, LearntSum } from "./learnt-sum.ts";

/** So many accounts are kept in memory; those that were not asked about for longest are read again when they come. */
const MOST_ACCOUNTS = 10_000;
/** How many models and domains are kept of one account: more than anybody uses, fewer than somebody could make up. */
const MOST_PAGES = 2_000;
/** What one account alone says of a model hardly counts for the others, what nine say counts a quarter, what thirty say more than half. */
const DOUBT = 9;

/** What is known of one account, model and domain. Handed out as it is, so that asking costs nothing. */
class Page {
  readonly own = new LearntSum();
  readonly shared: Tally;
  lends: boolean;

  constructor(shared: Tally, lends: boolean) {
    this.shared = shared;
    this.lends = lends;
  }
}

/** What all accounts say together, as all read it. */
class SharedTally implements Tally {
  weight = 0;
  surplus = 0;
  /** For accounts without outcomes of their own. */
  readonly forStrangers = { own: NO_TALLY, shared: this };

  show({ accounts, weight, surplus }: SharedRow): void {
    const trust = (accounts / (accounts + DOUBT)) ** 2;
    this.weight = Math.max(0, weight) * trust;
    this.surplus = surplus * trust;
  }
}

class AccountPages {
  readonly byModel = new Map<string, Map<string, Page>>();
  size = 0;
  lastUse = 0;
  /** Whether what the store has of it was asked for. */
  isRead = false;
}

/** An account's own outcomes with a model where it has some, else what is known to all. */
class KnownOfModel implements ModelEvidence {
  readonly #own: ReadonlyMap<string, Page> | undefined;
  readonly #shared: ReadonlyMap<string, SharedTally> | undefined;

  constructor(
    own: ReadonlyMap<string, Page> | undefined,
    shared: ReadonlyMap<string, SharedTally> | undefined,
  ) {
    this.#own = own;
    this.#shared = shared;
  }

  in(domain: string): { readonly own: Tally; readonly shared: Tally } | undefined {
    return this.#own?.get(domain) ?? this.#shared?.get(domain)?.forStrangers;
  }
}

/** One outcome of an account, as it is counted. */
export interface Note extends OutcomeKey {
  readonly steps: number;
  readonly weight: number;
  readonly surplus: number;
  /** Whether others may learn from it. */
  readonly lends: boolean;
}

/**
 * What was learnt while serving. An account's own outcomes count at once; for the others they count once the store
 * has them, each account with a bounded weight.
 */
export class EvidenceBook implements Evidence {
  readonly #accounts = new Map<string, AccountPages>();
  readonly #shared = new Map<string, Map<string, SharedTally>>();
  readonly #pending = new Map<Page, OutcomeKey>();
  readonly #mostAccounts: number;
  /** Accounts that somebody asked about and of which the store was not asked yet. */
  #strangers = new Set<string>();
  #uses = 0;

  constructor(mostAccounts = MOST_ACCOUNTS) {
    this.#mostAccounts = mostAccounts;
  }

  about(accountId: string, model: string): ModelEvidence | undefined {
    const account = this.#accounts.get(accountId);
    if (account !== undefined) account.lastUse = ++this.#uses;
    if (account?.isRead !== true) this.askAbout(accountId);
    const own = account?.byModel.get(model);
    const shared = this.#shared.get(model);
    return own === undefined && shared === undefined ? undefined : new KnownOfModel(own, shared);
  }

  note(note: Note): void {
    // One that can't be reckoned with would spoil its sum for good.
    if (!Number.isFinite(note.weight) || !Number.isFinite(note.surplus)) return;
    const page = this.#pageOf(note, note.lends);
    if (page === undefined) return;
    page.lends = note.lends;
    page.own.add(note);
    const { accountId, model, domain } = note;
    this.#pending.set(page, { accountId, model, domain });
  }

  /** Hands over what the store has not been told, and how to put it back where the store can't take it. */
  take(): { readonly changes: Learnt["outcomes"]; putBack(): void } {
    const leaving = Array.from(this.#pending, ([page, key]) => ({ page, key, added: page.own.take() }));
    this.#pending.clear();
    return {
      changes: leaving.map(({ page: { lends }, key, added }) => ({ ...key, ...changeOf(added), lends })),
      putBack: () => {
        for (const { page, key, added } of leaving) this.#putBack(page, key, added);
      },
    };
  }

  /** Its account may have been forgotten meanwhile, and come again: of one key the store is told once. */
  #putBack(page: Page, key: OutcomeKey, added: Addition): void {
    const known = this.#pageOf(key, page.lends) ?? page;
    if (known === page) page.own.putBack(added);
    else known.own.add(added);
    this.#pending.set(known, key);
  }

  /** What the store has now of accounts that are in memory; others are read when somebody asks about them. */
  showOwn(rows: readonly OwnRow[]): void {
    for (const row of rows) if (this.#accounts.has(row.accountId)) this.#pageOf(row, true)?.own.reset(row);
  }

  showShared(rows: readonly SharedRow[]): void {
    for (const row of rows) this.#sharedOf(row.model, row.domain).show(row);
  }

  get hasStrangers(): boolean {
    return this.#strangers.size > 0;
  }

  /** The store is to be asked what it has of an account. */
  askAbout(accountId: string): void {
    if (this.#strangers.size < this.#mostAccounts) this.#strangers.add(accountId);
  }

  /** Of whom the store is to be asked. */
  takeStrangers(): string[] {
    const strangers = [...this.#strangers];
    this.#strangers = new Set();
    return strangers;
  }

  /** All that the store has of these accounts. */
  showAllOf(accountIds: Iterable<string>, rows: readonly OwnRow[]): void {
    for (const accountId of accountIds) this.#accountOf(accountId).isRead = true;
    this.showOwn(rows);
  }

  #accountOf(accountId: string): AccountPages {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      if (this.#accounts.size >= this.#mostAccounts) this.#makeRoom();
      account = new AccountPages();
      this.#accounts.set(accountId, account);
    }
    account.lastUse = ++this.#uses;
    return account;
  }

  /** A tenth goes at once, so that looking for the oldest is rare. Those of which the store has to be told stay until it was. */
  #makeRoom(): void {
    const awaited = new Set(Array.from(this.#pending.values(), ({ accountId }) => accountId));
    const oldest = [...this.#accounts]
      .filter(([id]) => !awaited.has(id))
      .sort(([, one], [, other]) => one.lastUse - other.lastUse);
    for (const [id] of oldest.slice(0, Math.ceil(this.#mostAccounts / 10))) this.#accounts.delete(id);
  }

  #pageOf({ accountId, model, domain }: OutcomeKey, lends: boolean): Page | undefined {
    const account = this.#accountOf(accountId);
    let byDomain = account.byModel.get(model);
    if (byDomain === undefined) {
      byDomain = new Map();
      account.byModel.set(model, byDomain);
    }
    const known = byDomain.get(domain);
    if (known !== undefined || account.size >= MOST_PAGES) return known;
    const page = new Page(this.#sharedOf(model, domain), lends);
    byDomain.set(domain, page);
    account.size++;
    return page;
  }

  #sharedOf(model: string, domain: string): SharedTally {
    let byDomain = this.#shared.get(model);
    if (byDomain === undefined) {
      byDomain = new Map();
      this.#shared.set(model, byDomain);
    }
    let tally = byDomain.get(domain);
    if (tally === undefined) {
      tally = new SharedTally();
      byDomain.set(domain, tally);
    }
    return tally;
  }
}
