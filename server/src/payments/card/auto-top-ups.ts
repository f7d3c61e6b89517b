import { Fault } from "@trunkline/core/fault.ts";
import { formatCredits } from "@trunkline/core/money.ts";
import type { CardOrder } from "./card-order.ts";
import type { CardPayments } from "./card-payments.ts";
import { CardDeclined } from "./card-processor.ts";
import type { AutoTopUpStore, AutoTopUpTerms, BegunTopUp } from "./card-store.ts";

export interface AutoTopUpsDependencies {
  readonly store: AutoTopUpStore;
  readonly card: CardPayments;
  /** Called after the service has stopped an account's automatic payments. */
  readonly onStopped: (accountId: string, reason: string) => Promise<void>;
  readonly onError: (error: unknown, words: string) => void;
}

/** The processor knows an order again by its id for a day. Later, the same call would be another payment. */
const REPEATABLE_MS = 23 * 3_600_000;

/** Buys credits with an account's saved card when its balance falls below a threshold. */
export class AutoTopUps {
  readonly #dependencies: AutoTopUpsDependencies;

  constructor(dependencies: AutoTopUpsDependencies) {
    this.#dependencies = dependencies;
  }

  get store(): AutoTopUpStore {
    return this.#dependencies.store;
  }

  /** Sets the terms. Switching it on needs a card that was left for this. */
  async set(accountId: string, terms: AutoTopUpTerms): Promise<void> {
    const { card, store } = this.#dependencies;
    // Throws where this amount can't be bought.
    card.orderFor(accountId, "auto", terms.amount, false);
    if (terms.amount < terms.threshold)
      throw new Fault(
        "invalid_request",
        "`amount` must not be below `threshold`: each payment must lift the balance above it.",
        {
          param: "amount",
        },
      );
    const { autoTopUpCeiling } = card.terms;
    if (terms.monthlyCeiling < terms.amount || terms.monthlyCeiling > autoTopUpCeiling)
      throw new Fault(
        "invalid_request",
        `\`monthly_ceiling\` must be at least \`amount\` and at most ${formatCredits(autoTopUpCeiling)}.`,
        { param: "monthly_ceiling" },
      );
    if (terms.enabled && (await card.store.savedCard(accountId)) === undefined)
      throw new Fault(
        "conflict",
        "Buy credits by card first, with the consent to save it: automatic payments use that card.",
      );
    await store.set(accountId, terms);
  }

  /** Pays for every account whose balance has fallen below its threshold. */
  async run(): Promise<void> {
    const { store, card, onError } = this.#dependencies;
    for (const accountId of await store.due()) {
      try {
        const begun = await store.begin(accountId, (amount) => card.orderFor(accountId, "auto", amount, false));
        if (begun !== undefined) await this.#charge(begun);
      } catch (error) {
        onError(error, "An automatic payment could not be made.");
      }
    }
  }

  /** Goes on with an order whose payment may not have reached the processor. */
  async resume(order: CardOrder, now: number): Promise<void> {
    const { card } = this.#dependencies;
    const saved = await card.store.savedCard(order.accountId);
    const isRepeatable = now - order.createdAt.getTime() < REPEATABLE_MS;
    if (saved !== undefined && isRepeatable) await this.#charge({ order, card: saved });
    else await this.#fail(order, "The card processor could not be reached in time.");
  }

  async #charge({ order, card: saved }: BegunTopUp): Promise<void> {
    const { card } = this.#dependencies;
    const processor = await card.processor();
    try {
      const paymentId = await processor.chargeCard(order, saved);
      await card.store.learnIds(order.id, { paymentId });
    } catch (error) {
      // Any other failure leaves the order open: it is asked about again, under the same name.
      if (!(error instanceof CardDeclined)) throw error;
      return this.#fail(order, error.message);
    }
    await card.refresh(order.id);
  }

  async #fail({ id, accountId }: Pick<CardOrder, "id" | "accountId">, reason: string): Promise<void> {
    await this.#dependencies.card.store.close(id, "failed", reason);
    await this.stop(accountId, reason);
  }

  /** After a payment was declined: no more are tried until the account switches it on again. */
  async stop(accountId: string, reason: string): Promise<void> {
    const { store, onStopped } = this.#dependencies;
    if (await store.stop(accountId, reason)) await onStopped(accountId, reason);
  }
}
