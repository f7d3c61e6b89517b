import type { NanoCredits } from "@trunkline/core/money.ts";
import type { PayoutMethod } from "./provider-earnings.ts";

export const PAYOUT_STATES = ["requested", "approved", "sending", "sent", "failed"] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

export interface Payout {
  readonly id: string;
  readonly accountId: string;
  /** The account's name. */
  readonly account: string;
  readonly amount: NanoCredits;
  readonly method: PayoutMethod;
  readonly destination: string;
  /** When the provider last changed its destination: a recent change is worth a question before it is approved. */
  readonly destinationChangedAt: Date | undefined;
  readonly state: PayoutState;
  /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
  readonly reference: string | undefined;
  readonly createdAt: Date;
  readonly approvedAt: Date | undefined;
  readonly endedAt: Date | undefined;
}

export interface PayoutFilter {
  readonly accountId?: string | undefined;
  readonly state?: PayoutState | undefined;
}

/** Why a payout was not begun, or what was begun. */
export type BegunPayout =
  | { readonly outcome: "begun"; readonly payout: Payout }
  | { readonly outcome: "no_destination" }
  | { readonly outcome: "open" }
  | { readonly outcome: "too_little"; readonly payable: NanoCredits };

export interface PayoutStore {
  /** Moves `amount`, or all that is owed, out of what is owed. At most one payout of an account is open at a time. */
  begin(accountId: string, amount: NanoCredits | undefined, minimum: NanoCredits): Promise<BegunPayout>;
  find(id: string): Promise<Payout | undefined>;
  list(filter: PayoutFilter, limit: number, cursor: string | undefined): Promise<Payout[]>;
  /** Changes nothing, and returns the payout as it is, where it was not `requested`. */
  approve(id: string): Promise<Payout | undefined>;
  /**
   * Ends a payout that is in one of the states `from`: what was taken is paid, or owed again. Otherwise returns it as it is.
   * A reference can be that of one sent payout alone.
   */
  end(
    id: string,
    end: { readonly state: "sent" | "failed"; readonly reference: string; readonly from: readonly PayoutState[] },
  ): Promise<Payout | undefined | "reference_taken">;
}
