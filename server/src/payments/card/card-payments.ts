import { CoalescedReload } from "@trunkline/core/background-work.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import { type CardOrder, creditsPerSmallestUnit, decideOrder } from "./card-order.ts";
import type { CardEvent, CardProcessor } from "./card-processor.ts";
import { InvalidEvent } from "./card-processor.ts";
import type { CardOrderStore, NewOrder } from "./card-store.ts";

/** What the operator has set for payments by card. */
export interface CardTerms {
  /** In small letters. A credit costs one unit of it. */
  readonly currency: string;
  readonly smallest: NanoCredits;
  readonly largest: NanoCredits;
  /** The highest monthly ceiling that an account may set for automatic payments. */
  readonly autoTopUpCeiling: NanoCredits;
}

export interface CardPaymentsDependencies {
  readonly store: CardOrderStore;
  /** Loaded at its first use. */
  readonly loadProcessor: () => Promise<CardProcessor>;
  readonly terms: CardTerms;
  /** The address of the dashboard's billing page. */
  readonly billingUrl: string;
  /** Called after the balance of an account has changed. */
  readonly onBalanceChange: (accountId: string) => void;
  /** Called after an automatic payment has failed, and after a payment was refunded or disputed. */
  readonly stopAutoTopUps: (accountId: string, reason: string) => Promise<void>;
  /** Called for an automatic payment that may not have reached the processor. */
  readonly resumeAuto: (order: CardOrder) => Promise<void>;
  readonly onError: (error: unknown, words: string) => void;
}

/** How long an open order may be without news before the processor is asked about it. */
const OVERDUE_SECONDS = 600;
const OVERDUE_AT_ONCE = 20;
/** A checkout that was never opened has no page on which it could be paid, and after a day none can be opened any more. */
const UNOPENED_MS_MAX = 24 * 3_600_000;
const APPLY_TRIES = 8;
const TAKEN_BACK = "A payment was refunded or disputed.";

/** Credits that are bought by card. What counts is always what the processor says of a payment now, never an event. */
export class CardPayments {
  readonly terms: CardTerms;
  readonly #dependencies: CardPaymentsDependencies;
  #processor: Promise<CardProcessor> | undefined;
  /** One call for each order at a time. */
  readonly #refreshing = new Map<string, CoalescedReload>();

  constructor(dependencies: CardPaymentsDependencies) {
    this.#dependencies = dependencies;
    this.terms = dependencies.terms;
  }

  get store(): CardOrderStore {
    return this.#dependencies.store;
  }

  processor(): Promise<CardProcessor> {
    this.#processor ??= this.#dependencies.loadProcessor();
    return this.#processor;
  }

  /** Opens a page on which an account buys credits. The order is on disk before the processor hears of it. */
  async openCheckout(
    accountId: string,
    credits: NanoCredits,
    savesCard: boolean,
  ): Promise<{ readonly id: string; readonly url: string }> {
    const { store, billingUrl } = this.#dependencies;
    const order = this.orderFor(accountId, "checkout", credits, savesCard);
    const processor = await this.processor();
    const card = await store.savedCard(accountId);
    await store.addOrder(order);
    const pages = { successUrl: `${billingUrl}?order=${order.id}`, cancelUrl: billingUrl };
    const { sessionId, url } = await processor.openCheckout(order, pages, card?.customerId);
    await store.learnIds(order.id, { sessionId });
    return { id: order.id, url };
  }

  /** A new order, or a fault that says which amounts are possible. */
  orderFor(accountId: string, kind: CardOrder["kind"], credits: NanoCredits, savesCard: boolean): NewOrder {
    const { currency, smallest, largest } = this.terms;
    const unit = creditsPerSmallestUnit(currency);
    if (credits < smallest || credits > largest || credits % unit !== 0n) {
      throw new Fault(
        "invalid_request",
        `\`amount\` must be from ${formatCredits(smallest)} to ${formatCredits(largest)}, in steps of ${formatCredits(unit)}.`,
        { param: "amount" },
      );
    }
    return { id: newId(), accountId, kind, amount: credits / unit, currency, credits, savesCard };
  }

  /** Receives an event of the processor, as the text that was sent. */
  async receive(body: string, signature: string | undefined): Promise<void> {
    const processor = await this.processor();
    let event: CardEvent | undefined;
    try {
      event = processor.readEvent(body, signature ?? "");
    } catch (error) {
      if (!(error instanceof InvalidEvent)) throw error;
      throw new Fault("invalid_request", error.message, {}, { cause: error });
    }
    if (event === undefined) return;
    const order = await this.#orderOf(event);
    if (order === undefined) return this.#keepUnknown(event, event.orderId);
    await this.refresh(order.id);
    const { sessionId, paymentId } = (await this.store.find(order.id)) ?? order;
    // Another payment that names the order: only that of its own checkout counts. A name that is not known says nothing.
    const isOther = (named: string | undefined, known: string | undefined) =>
      named !== undefined && known !== undefined && named !== known;
    if (isOther(event.sessionId, sessionId) || isOther(event.paymentId, paymentId))
      await this.#keepUnknown(event, order.id);
  }

  /** The order that an event is about, with the processor's names for it written down. */
  async #orderOf(event: CardEvent): Promise<CardOrder | undefined> {
    const { orderId, sessionId, paymentId } = event;
    const known = await this.store.findByProcessor({ sessionId, paymentId });
    if (known !== undefined) return known;
    let named = orderId;
    // Refunds and disputes name the payment alone, and may come before it.
    if (named === undefined && paymentId !== undefined)
      named = (await (await this.processor()).readPayment({ sessionId: undefined, paymentId }))?.orderId;
    const order = named !== undefined && isId(named) ? await this.store.find(named) : undefined;
    if (order === undefined) return undefined;
    if (order.sessionId === undefined && order.paymentId === undefined)
      await this.store.learnIds(order.id, sessionId === undefined ? { paymentId } : { sessionId });
    return order;
  }

  async #keepUnknown({ type, sessionId, paymentId, paid }: CardEvent, reference: string | undefined): Promise<void> {
    const id = paymentId ?? sessionId;
    if (id === undefined || paid === undefined) return;
    await this.store.addUnknownPayment({ id, eventType: type, ...paid, reference });
  }

  /** Asks the processor about an order, and writes down what follows. Simultaneous calls share the work. */
  async refresh(orderId: string): Promise<void> {
    let refreshing = this.#refreshing.get(orderId);
    if (refreshing === undefined) {
      refreshing = new CoalescedReload(() => this.#refresh(orderId));
      this.#refreshing.set(orderId, refreshing);
    }
    try {
      await refreshing.reload();
    } finally {
      if (this.#refreshing.get(orderId) === refreshing) this.#refreshing.delete(orderId);
    }
  }

  async #refresh(orderId: string): Promise<void> {
    const processor = await this.processor();
    for (let tries = 0; tries < APPLY_TRIES; tries++) {
      const order = await this.store.find(orderId);
      const payment = order && (await processor.readPayment(order));
      if (order === undefined || payment === undefined) return;
      const applied = await this.store.apply(order, payment, decideOrder);
      if (applied.outcome === "stale") continue;
      if (applied.balanceChanged) this.#dependencies.onBalanceChange(order.accountId);
      if (order.kind === "auto" && order.state === "open" && applied.order.state === "failed")
        await this.#dependencies.stopAutoTopUps(order.accountId, applied.order.reason ?? "The payment failed.");
      else if (applied.takenBack) await this.#dependencies.stopAutoTopUps(order.accountId, TAKEN_BACK);
      return;
    }
    throw new Fault("unavailable", "This payment is being written down by others. Try again shortly.", {
      retryAfterSeconds: 5,
    });
  }

  /** Asks about orders that have been open for long: their events may be lost. */
  async reconcile(now: number): Promise<void> {
    for (const order of await this.store.takeOverdue(OVERDUE_SECONDS, OVERDUE_AT_ONCE)) {
      try {
        const isUnknown = order.sessionId === undefined && order.paymentId === undefined;
        if (!isUnknown) await this.refresh(order.id);
        else if (order.kind === "auto") await this.#dependencies.resumeAuto(order);
        else if (now - order.createdAt.getTime() > UNOPENED_MS_MAX)
          await this.store.close(order.id, "expired", "The checkout was never opened.");
      } catch (error) {
        this.#dependencies.onError(error, "An order could not be reconciled.");
      }
    }
  }

  /** Removes the saved card here and at the processor. */
  async forgetCard(accountId: string): Promise<void> {
    const card = await this.store.savedCard(accountId);
    if (card === undefined) throw new Fault("not_found", "The account has no saved card.");
    await this.store.forgetCard(accountId);
    await (await this.processor()).removeCard(card);
  }
}
