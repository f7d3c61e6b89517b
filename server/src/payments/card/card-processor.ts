import { Fault } from "@trunkline/core/fault.ts";
import type { CardOrder, CardPayment, SavedCard } from "./card-order.ts";

/** Something that the processor reports. It says only what to ask about: what counts is what the processor then answers. */
export interface CardEvent {
  readonly type: string;
  readonly orderId: string | undefined;
  readonly sessionId: string | undefined;
  readonly paymentId: string | undefined;
  /** Set where the event says that money came in. */
  readonly paid: { readonly amount: bigint; readonly currency: string } | undefined;
}

type OrderTerms = Pick<CardOrder, "id" | "accountId" | "amount" | "currency" | "savesCard">;

/** The bank refused the payment. */
export class CardDeclined extends Error {
  override readonly name = "CardDeclined";
}

/** The processor could not be reached, or failed. */
export class ProcessorFailure extends Fault {
  constructor(cause: unknown) {
    const words = "The card processor could not be reached or has failed. Try again shortly.";
    super("provider_error", words, { retryAfterSeconds: 5 }, { cause });
  }
}

/** The signature of an event is missing, wrong or too old, or it is no event. The message says which. */
export class InvalidEvent extends Error {
  override readonly name = "InvalidEvent";
}

/** A company that takes card payments. Every call that changes anything may be repeated: the order's id makes it one. */
export interface CardProcessor {
  /** Opens a page on which the order is paid. */
  openCheckout(
    order: OrderTerms,
    pages: { readonly successUrl: string; readonly cancelUrl: string },
    customerId: string | undefined,
  ): Promise<{ readonly sessionId: string; readonly url: string }>;
  /** Charges a card without its owner being there. Returns the payment's name. Throws `CardDeclined`. */
  chargeCard(order: OrderTerms, card: SavedCard): Promise<string>;
  /** What is known of a payment now; undefined: there is none. */
  readPayment(order: Pick<CardOrder, "sessionId" | "paymentId">): Promise<CardPayment | undefined>;
  removeCard(card: SavedCard): Promise<void>;
  /** Reads an event from the exact text that was sent. Throws `InvalidEvent`. */
  readEvent(body: string, signature: string): CardEvent | undefined;
}
