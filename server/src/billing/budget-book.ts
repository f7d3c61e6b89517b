import type { Budget, BudgetPeriod, Caller } from "../domain/caller.ts";
import type { Clock } from "../kit/clock.ts";
import type { NanoCredits } from "../kit/money.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** What a key has spent and holds in one running period. */
interface Page {
  readonly startsAt: number | undefined;
  readonly loaded: Promise<void>;
  spent: NanoCredits;
  held: NanoCredits;
}

/** A request that runs. It belongs to every period that had begun when it was opened. */
interface OpenHold {
  readonly openedAt: number;
  amount: NanoCredits;
}

/** All that is known of one key: a page for each period it was ever limited by, and what runs now. */
interface Account {
  readonly pages: Map<BudgetPeriod, Page>;
  readonly open: Set<OpenHold>;
}

/** An amount set aside from a key's budget. */
export interface BudgetHold {
  /** Sets more aside, or answers false and changes nothing. Asks and takes in one step, so that no one slips between. */
  raise(by: NanoCredits): boolean;
  /** The request ended, and this much of what was held is charged. */
  end(held: NanoCredits, charged: NanoCredits): void;
  /** The request ended, and only the ledger knows what was charged: it is asked again. */
  endUnsure(): void;
}

/** What keys with a budget have spent in the running period, in memory, loaded once per period from the ledger. */
export class BudgetBook {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** What is left of the key's budget; undefined where it has none. */
  async left(caller: Caller): Promise<NanoCredits | undefined> {
    if (caller.budget === undefined) return undefined;
    const account = this.#accountOf(caller.keyId);
    const page = await this.#pageOf(account, caller.keyId, caller.budget.period);
    const left = leftOn(page, caller.budget);
    return left < 0n ? 0n : left;
  }

  /** A hold on the budget as it is now, even if its period ends or its terms change meanwhile. */
  async open(caller: Caller): Promise<BudgetHold | undefined> {
    if (caller.budget === undefined) return undefined;
    const { budget, keyId } = caller;
    const account = this.#accountOf(keyId);
    const page = await this.#pageOf(account, keyId, budget.period);
    const hold: OpenHold = { openedAt: this.#clock.now(), amount: 0n };
    account.open.add(hold);
    return {
      raise: (by) => {
        // The page may have been read anew since: then those on the new one hold what the old one does not know of.
        const current = account.pages.get(budget.period);
        const looked = current !== undefined && current.startsAt === page.startsAt ? [page, current] : [page];
        if (looked.some((one) => leftOn(one, budget) < by)) return false;
        hold.amount += by;
        for (const one of pagesOf(account, hold, page)) one.held += by;
        return true;
      },
      end: (held, charged) => {
        account.open.delete(hold);
        for (const one of pagesOf(account, hold, page)) {
          one.held -= held;
          one.spent += charged;
        }
      },
      endUnsure: () => {
        account.open.delete(hold);
        // Whoever still goes by the old pages keeps reckoning with all that was held; new ones ask the ledger.
        account.pages.clear();
      },
    };
  }

  #accountOf(keyId: string): Account {
    let account = this.#accounts.get(keyId);
    if (account === undefined) {
      account = { pages: new Map(), open: new Set() };
      this.#accounts.set(keyId, account);
    }
    return account;
  }

  async #pageOf(account: Account, keyId: string, period: BudgetPeriod): Promise<Page> {
    const startsAt = startOfPeriod(period, this.#clock.now());
    let page = account.pages.get(period);
    if (page === undefined || page.startsAt !== startsAt) {
      page = this.#load(account, keyId, period, startsAt);
      account.pages.set(period, page);
    }
    await page.loaded;
    return page;
  }

  #load(account: Account, keyId: string, period: BudgetPeriod, startsAt: number | undefined): Page {
    const since = startsAt === undefined ? undefined : new Date(startsAt);
    const page: Page = {
      startsAt,
      spent: 0n,
      held: [...account.open].reduce((sum, hold) => (isIn(startsAt, hold) ? sum + hold.amount : sum), 0n),
      loaded: this.#ledger.spentByKey(keyId, since).then(
        (spent) => {
          page.spent += spent;
        },
        (error: unknown) => {
          // A page that could not be loaded is not kept: the next request tries again.
          if (account.pages.get(period) === page) account.pages.delete(period);
          throw error;
        },
      ),
    };
    return page;
  }
}

function leftOn(page: Page, budget: Budget): NanoCredits {
  return budget.limit - page.spent - page.held;
}

function isIn(startsAt: number | undefined, hold: OpenHold): boolean {
  return startsAt === undefined || startsAt <= hold.openedAt;
}

/** The page it was opened on, which others may share even where it is no longer the current one, and all current ones. */
function pagesOf(account: Account, hold: OpenHold, own: Page): Set<Page> {
  return new Set([own, ...[...account.pages.values()].filter((page) => isIn(page.startsAt, hold))]);
}

/** When the running period began, in UTC; undefined for a budget in total. Weeks begin on Monday. */
export function startOfPeriod(period: BudgetPeriod, now: number): number | undefined {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (period) {
    case "day":
      return Date.UTC(year, month, day);
    case "week":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case "month":
      return Date.UTC(year, month, 1);
    case "total":
      return undefined;
  }
}
