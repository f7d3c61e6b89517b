import type { NanoCredits } from "@trunkline/core/money.ts";

export const CODE_STATES = ["active", "used", "expired", "stopped"] as const;
export type CodeState = (typeof CODE_STATES)[number];

/** A code as the operator sees it: never the code itself. */
export interface RedeemCode {
  readonly id: string;
  readonly hint: string;
  readonly amount: NanoCredits;
  /** By how many accounts it may be redeemed. */
  readonly uses: number;
  readonly used: number;
  readonly note: string;
  readonly expiresAt: Date | undefined;
  readonly stoppedAt: Date | undefined;
  readonly state: CodeState;
  readonly createdAt: Date;
}

/** What all codes of one making have in common. */
export interface CodeTerms {
  readonly amount: NanoCredits;
  readonly uses: number;
  readonly note: string;
  readonly expiresAt: Date | undefined;
}

/** A code as it is stored. */
export interface HashedCode {
  readonly id: string;
  readonly hash: Buffer;
  readonly hint: string;
}

export interface CodeFilter {
  readonly state: CodeState | undefined;
  /** A part of the hint or of the note. */
  readonly text: string | undefined;
}

/** What came of redeeming a code. */
export type Redemption =
  | {
      readonly outcome: "redeemed";
      readonly amount: NanoCredits;
      /** What the account has now. */
      readonly balance: NanoCredits;
      /** The receipt's number. */
      readonly number: string;
      readonly hint: string;
    }
  | { readonly outcome: "unknown" | "used" | "expired" | "stopped" }
  | { readonly outcome: "repeated"; readonly at: Date };

export interface RedeemCodeStore {
  add(codes: readonly HashedCode[], terms: CodeTerms): Promise<RedeemCode[]>;
  list(filter: CodeFilter, limit: number, cursor: string | undefined): Promise<RedeemCode[]>;
  /** False where there is no such code. */
  stop(id: string): Promise<boolean>;
  /** Exactly once for each account and code, and never more often than the code may be used. */
  redeem(accountId: string, hash: Buffer): Promise<Redemption>;
}
