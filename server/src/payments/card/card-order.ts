import type { OrderState } from "@trunkline/core/ledger-kinds.ts";
import { NANO_PER_CREDIT, type NanoCredits } from "@trunkline/core/money.ts";

/** An order for credits that is paid by card. */
export interface CardOrder {
  readonly id: string;
  readonly accountId: string;
  /** `auto`: charged to the saved card by the service itself. */
  readonly kind: "checkout" | "auto";
  readonly state: OrderState;
  /** In the smallest unit of the currency. */
  readonly amount: bigint;
  readonly currency: string;
  readonly credits: NanoCredits;
  readonly savesCard: boolean;
  /** The processor's names for the checkout and for the payment; undefined: not known yet. */
  readonly sessionId: string | undefined;
  readonly paymentId: string | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
  /** What was taken back. */
  readonly refunded: NanoCredits;
  readonly disputed: NanoCredits;
  readonly disputeState: string | undefined;
  readonly version: number;
  readonly createdAt: Date;
  readonly paidAt: Date | undefined;
}

/** A card that was left with the processor, by the processor's names. */
export interface SavedCard {
  readonly customerId: string;
  readonly paymentMethodId: string;
  readonly brand: string;
  readonly last4: string;
}

/** What the processor says of an order's payment now. Amounts are in the smallest unit of the currency. */
export interface CardPayment {
  /** The order that the processor has it for; undefined: none of ours. */
  readonly orderId: string | undefined;
  readonly paymentId: string | undefined;
  readonly state: "open" | "paid" | "failed" | "expired";
  readonly amount: bigint;
  readonly currency: string;
  readonly refunded: bigint;
  readonly disputed: bigint;
  readonly disputeState: string | undefined;
  readonly reason: string | undefined;
  /** The card that paid; undefined where it was not left for later payments. */
  readonly card: SavedCard | undefined;
}

/** What an order becomes by what the processor says. */
export type OrderOutcome = Pick<CardOrder, "state" | "refunded" | "disputed" | "disputeState" | "reason">;

/**
 * Decides what an order is, from what the processor says of its payment now. Nothing depends on which events came, or in
 * which order. What was paid once stays paid: refunds and disputes are counted against it.
 */
export function decideOrder(order: CardOrder, payment: CardPayment): OrderOutcome {
  const { disputeState } = payment;
  const taken = { refunded: order.refunded, disputed: order.disputed, disputeState };
  if (payment.state !== "paid") {
    const state = order.state === "paid" || order.state === "mismatch" ? order.state : payment.state;
    return { ...taken, state, reason: payment.reason ?? order.reason };
  }
  if (payment.orderId !== order.id || payment.amount !== order.amount || payment.currency !== order.currency) {
    const paid = `${formatAmount(payment.amount, payment.currency)} for order ${payment.orderId}`;
    const reason = `Paid: ${paid}. Ordered: ${formatAmount(order.amount, order.currency)}.`;
    return { ...taken, state: order.state === "paid" ? "paid" : "mismatch", reason };
  }
  const perUnit = order.credits / order.amount;
  const refunded = least(payment.refunded * perUnit, order.credits);
  const disputed = least(payment.disputed * perUnit, order.credits - refunded);
  return { state: "paid", refunded, disputed, disputeState, reason: undefined };
}

/** An amount in the smallest unit of its currency, in units: `12.50 usd`. */
function formatAmount(amount: bigint, currency: string): string {
  if (WHOLE_CURRENCIES.has(currency)) return `${amount} ${currency}`;
  return `${amount / 100n}.${String(amount % 100n).padStart(2, "0")} ${currency}`;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Currencies whose smallest unit is the unit itself, by the processor's list. */
const WHOLE_CURRENCIES: ReadonlySet<string> = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf".split(" "),
);

/** How many nano-credits the smallest unit of a currency buys: a credit costs one unit. */
export function creditsPerSmallestUnit(currency: string): NanoCredits {
  return WHOLE_CURRENCIES.has(currency) ? NANO_PER_CREDIT : NANO_PER_CREDIT / 100n;
}
