import type { Budget, BudgetPeriod, Caller } from "../domain/caller.ts";
import type { Clock } from "../kit/clock.ts";
import type { NanoCredits } from "../kit/money.ts";
import type { LedgerStore } from "./ledger-store.ts";

interface Page {
  readonly period: BudgetPeriod;
  readonly startsAt: number | undefined;
  readonly loaded: Promise<void>;
  spent: NanoCredits;
  held: NanoCredits;
}

/** An amount set aside from a key's budget. */
export interface BudgetHold {
  /** Sets more aside, or answers false and changes nothing. Asks and takes in one step, so that no one slips between. */
  raise(by: NanoCredits): boolean;
  end(held: NanoCredits, charged: NanoCredits): void;
}

/** What keys with a budget have spent in the running period, in memory, loaded once per period from the ledger. */
export class BudgetBook {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #pages = new Map<string, Page>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** What is left of the key's budget; undefined where it has none. */
  async left(caller: Caller): Promise<NanoCredits | undefined> {
    if (caller.budget === undefined) return undefined;
    const left = leftOn(await this.#pageOf(caller.keyId, caller.budget), caller.budget);
    return left < 0n ? 0n : left;
  }

  /** The page that this request's spending goes to, even if the period ends meanwhile. */
  async open(caller: Caller): Promise<BudgetHold | undefined> {
    if (caller.budget === undefined) return undefined;
    const { budget } = caller;
    const page = await this.#pageOf(caller.keyId, budget);
    return {
      raise: (by) => {
        if (leftOn(page, budget) < by) return false;
        page.held += by;
        return true;
      },
      end: (held, charged) => {
        page.held -= held;
        page.spent += charged;
      },
    };
  }

  async #pageOf(keyId: string, budget: Budget): Promise<Page> {
    const startsAt = startOfPeriod(budget.period, this.#clock.now());
    let page = this.#pages.get(keyId);
    if (page === undefined || page.period !== budget.period || page.startsAt !== startsAt) {
      page = this.#newPage(keyId, budget.period, startsAt);
      this.#pages.set(keyId, page);
    }
    await page.loaded;
    return page;
  }

  #newPage(keyId: string, period: BudgetPeriod, startsAt: number | undefined): Page {
    const since = startsAt === undefined ? undefined : new Date(startsAt);
    const page: Page = {
      period,
      startsAt,
      spent: 0n,
      held: 0n,
      loaded: this.#ledger.spentByKey(keyId, since).then(
        (spent) => {
          page.spent += spent;
        },
        (error: unknown) => {
          // A page that could not be loaded is not kept: the next request tries again.
          this.#pages.delete(keyId);
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
