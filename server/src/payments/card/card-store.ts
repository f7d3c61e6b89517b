import type { OrderState } from "@trunkline/core/ledger-kinds.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { CardOrder, CardPayment, OrderOutcome, SavedCard } from "./card-order.ts";

/** A new order, before the processor knows of it. */
export type NewOrder = Pick<CardOrder, "id" | "accountId" | "kind" | "amount" | "currency" | "credits" | "savesCard">;

/** A payment that belongs to no order of ours. */
export interface UnknownPayment {
  readonly id: string;
  readonly eventType: string;
  readonly amount: bigint | undefined;
  readonly currency: string | undefined;
  /** What it says it is for. */
  readonly reference: string | undefined;
  readonly createdAt: Date;
}

export interface OrderFilter {
  /** undefined: of every account. */
  readonly accountId: string | undefined;
  readonly state: OrderState | undefined;
  /** Only orders of which something was refunded or disputed. */
  readonly takenBack: boolean;
}

/** An order as the operator sees it. */
export interface AccountOrder extends CardOrder {
  readonly accountName: string;
}

/** The result of writing down what the processor said. */
export type ApplyOutcome =
  /** The order has changed since it was read: the processor must be asked again. */
  | { readonly outcome: "stale" }
  | {
      readonly outcome: "applied";
      readonly balanceChanged: boolean;
      /** Whether more was refunded or disputed than before. */
      readonly takenBack: boolean;
      readonly order: CardOrder;
    };

export interface CardOrderStore {
  addOrder(order: NewOrder): Promise<void>;
  find(id: string): Promise<CardOrder | undefined>;
  /** By the processor's names. */
  findByProcessor(ids: {
    sessionId?: string | undefined;
    paymentId?: string | undefined;
  }): Promise<CardOrder | undefined>;
  list(filter: OrderFilter, limit: number, cursor: string | undefined): Promise<AccountOrder[]>;
  /** Writes the processor's names down where they are not known yet. */
  learnIds(id: string, ids: { sessionId?: string | undefined; paymentId?: string | undefined }): Promise<void>;
  /**
   * Writes what an order has become, and the movements of the ledger that follow, in one transaction. `version` is that
   * of the order before the processor was asked.
   */
  apply(
    order: Pick<CardOrder, "id" | "version">,
    payment: CardPayment,
    decide: (order: CardOrder, payment: CardPayment) => OrderOutcome,
  ): Promise<ApplyOutcome>;
  /** An order that the processor refused to take, or that it will never hear of. */
  close(id: string, state: "failed" | "expired", reason: string): Promise<void>;
  /** Open orders that nobody has asked the processor about for this long. They count as asked about now. */
  takeOverdue(idleSeconds: number, limit: number): Promise<CardOrder[]>;
  addUnknownPayment(payment: Omit<UnknownPayment, "createdAt">): Promise<void>;
  listUnknownPayments(limit: number): Promise<UnknownPayment[]>;
  savedCard(accountId: string): Promise<SavedCard | undefined>;
  /** Forgets the card, and switches automatic payments off. */
  forgetCard(accountId: string): Promise<void>;
}

/** The terms of automatic payments. */
export interface AutoTopUpTerms {
  readonly enabled: boolean;
  /** Below this balance a payment is made. */
  readonly threshold: NanoCredits;
  readonly amount: NanoCredits;
  /** The most that is paid automatically in a month. */
  readonly monthlyCeiling: NanoCredits;
}

export interface AutoTopUp extends AutoTopUpTerms {
  readonly accountId: string;
  /** Why the service has stopped it. */
  readonly stoppedReason: string | undefined;
  /** What was paid, or is being paid, automatically this month. */
  readonly paidThisMonth: NanoCredits;
}

export interface AutoTopUpStore {
  find(accountId: string): Promise<AutoTopUp | undefined>;
  set(accountId: string, terms: AutoTopUpTerms): Promise<void>;
  /** Accounts whose balance is below the threshold and that no payment was made for since it fell. */
  due(): Promise<readonly string[]>;
  /**
   * Adds an order for one of them, where it is still due, within its month's ceiling, and no other payment is under way.
   * The constraints of the database decide which instance does it.
   */
  begin(accountId: string, orderOf: (amount: NanoCredits) => NewOrder): Promise<BegunTopUp | undefined>;
  /** Switches it off until the account switches it on again. False where it was off already. */
  stop(accountId: string, reason: string): Promise<boolean>;
}

export interface BegunTopUp {
  readonly order: NewOrder;
  readonly card: SavedCard;
}
