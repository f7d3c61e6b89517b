import type { NanoCredits } from "@trunkline/core/money.ts";
import type { SignedTransaction } from "../token/transaction-sender.ts";

/** A signed transfer that its sender may send within its time (EIP-3009). Amounts and times are decimal texts. */
export interface Authorisation {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
  readonly signature: string;
}

/** A payment that was verified, before it is claimed. */
export interface NewPayment {
  readonly id: string;
  readonly chainId: number;
  readonly asset: string;
  /** In lower case. */
  readonly payer: string;
  readonly amount: NanoCredits;
  readonly authorisation: Authorisation;
  /** The chain's newest block when it was verified: it is used in a later one. */
  readonly head: bigint;
}

/** The wallet's account, or why the payment can't be used. */
export type Claim =
  | { readonly outcome: "claimed"; readonly accountId: string }
  | { readonly outcome: "used" }
  | { readonly outcome: "uncovered" }
  | { readonly outcome: "blocked" }
  | { readonly outcome: "suspended" };

export interface OpenPayment {
  readonly id: string;
  readonly state: "ended" | "settling";
  readonly validBefore: Date;
  readonly authorisation: Authorisation;
  /** The chain's newest block when it was verified. */
  readonly head: bigint;
  /** Undefined until the payment is settling. */
  readonly transaction: SignedTransaction | undefined;
}

export interface X402Store {
  /** Claims an authorisation, once, and gives the wallet's account its amount. The wallet's open payments together are within its balance on the chain. */
  claim(payment: NewPayment, balance: bigint): Promise<Claim>;
  /** The request is over, however it ended. */
  end(id: string): Promise<void>;
  /** Ends the payments of instances that are gone. */
  endOrphaned(): Promise<void>;
  /** Payments that are to be settled or taken back. */
  listOpen(limit: number): Promise<readonly OpenPayment[]>;
  /** Takes an ended payment back where its request cost nothing, or what the wallet had left of earlier ones covers it. */
  decide(id: string): Promise<"void" | "wait" | "settle">;
  /**
   * Signs and keeps the transaction of an ended payment, one at a time over all instances. `sign` gets the lowest nonce
   * that no other transaction of ours on the way has. Undefined: another instance is at it, or the payment is not `ended` any more.
   */
  beginSettling(
    id: string,
    sender: string,
    sign: (leastNonce: bigint) => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | undefined>;
  /** The transaction can never be mined: the payment gets another. */
  abandonTransaction(id: string): Promise<void>;
  settle(id: string): Promise<void>;
  /** The chain refuses the payment for good. Its unspent credits are taken back. False: they are leased, try again later. */
  lose(id: string): Promise<boolean>;
}
