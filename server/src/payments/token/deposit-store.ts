import type { NanoCredits } from "@trunkline/core/money.ts";
import type { TokenTransfer } from "./token-chain.ts";

export const DEPOSIT_STATES = ["unclaimed", "credited", "empty", "review"] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];

/** A final transfer with what it is worth, to be recorded. */
export interface NewDeposit extends TokenTransfer {
  readonly id: string;
  readonly received: bigint;
  /** Credits per token as a decimal; undefined: not known. */
  readonly rate: string | undefined;
  /** Undefined: not known, or more than may be credited without the operator. */
  readonly amount: NanoCredits | undefined;
  readonly state: Exclude<DepositState, "credited">;
  readonly note: string | undefined;
}

/** A recorded deposit. */
export interface TokenDeposit extends Omit<NewDeposit, "state"> {
  readonly state: DepositState;
  readonly tokenDecimals: number;
  readonly accountId: string | undefined;
  readonly createdAt: Date;
  readonly creditedAt: Date | undefined;
}

/** A transfer whose block is not final yet. */
export type PendingDeposit = Omit<TokenTransfer, "blockHash">;

/** Where the reading of the chain stands. */
export interface ScanPosition {
  readonly nextBlock: bigint;
  /** Of the block before; undefined: not known. */
  readonly blockHash: string | undefined;
}

export interface ScanState extends ScanPosition {
  readonly headBlock: bigint | undefined;
  readonly finalBlock: bigint | undefined;
  readonly readAt: Date | undefined;
  readonly unexplained: bigint;
}

/** A range of final blocks that was read. */
export interface ReadRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly blockHash: string;
  readonly tokenDecimals: number;
  /** Units that came to the treasury without any event. */
  readonly unexplained: bigint;
  readonly deposits: readonly NewDeposit[];
}

export interface CreditedDeposit {
  readonly accountId: string;
  readonly amount: NanoCredits;
}

export interface DepositFilter {
  readonly accountId: string | undefined;
  readonly state: DepositState | undefined;
}

/** What of a chain's transfers to the treasury is recorded and credited. */
export interface DepositStore {
  /** Where to go on; undefined while another instance reads. */
  takeLease(startBlock: bigint): Promise<ScanPosition | undefined>;
  releaseLease(): Promise<void>;
  /** Which of these transfers are not recorded. */
  unknownOf(transfers: readonly TokenTransfer[]): Promise<readonly TokenTransfer[]>;
  /** Records a range and moves on behind it, both or nothing. False where another instance has moved on. */
  record(range: ReadRange): Promise<boolean>;
  /**
   * Goes back to a block, or a little further. What is recorded stays, and is not recorded twice. Returns the block to go on
   * with; undefined: the chain was not read so far.
   */
  rewind(nextBlock: bigint): Promise<bigint | undefined>;
  /** Replaces what is not final yet. */
  savePending(pending: readonly PendingDeposit[], head: bigint, final: bigint): Promise<void>;
  /** Credits deposits whose account is known by now, each of them once, and returns what was credited. */
  creditClaimable(): Promise<readonly CreditedDeposit[]>;
  state(): Promise<ScanState | undefined>;
}
