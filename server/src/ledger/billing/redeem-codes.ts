import { createHash, randomBytes } from "node:crypto";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";

export const CODE_STATES = ["active", "used", "expired", "stopped"] as const;
type CodeState = (typeof CODE_STATES)[number];

/** A code as the operator sees it, without the code itself. */
export interface RedeemCode {
  readonly id: string;
  readonly hint: string;
  readonly amount: NanoCredits;
  /** How many accounts may redeem it. */
  readonly uses: number;
  readonly used: number;
  readonly note: string;
  readonly expiresAt: Date | undefined;
  readonly stoppedAt: Date | undefined;
  readonly state: CodeState;
  readonly createdAt: Date;
}

/** The terms of all codes that are created together. */
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

/** The result of redeeming a code. */
export type Redemption =
  | {
      readonly outcome: "redeemed";
      readonly amount: NanoCredits;
      /** The account's balance now. */
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
  /** Redeems exactly once for each account and code, and never more often than `uses`. */
  redeem(accountId: string, hash: Buffer): Promise<Redemption>;
}

type Redeemed = Extract<Redemption, { outcome: "redeemed" }>;

/** Creates and redeems codes. */
export class RedeemCodes {
  readonly #store: RedeemCodeStore;
  /** Called after credits were added to an account. */
  readonly #onCredit: (accountId: string) => void;

  constructor(store: RedeemCodeStore, onCredit: (accountId: string) => void) {
    this.#store = store;
    this.#onCredit = onCredit;
  }

  /** Returns the new codes in clear text. Only their hashes are stored. */
  async create(
    count: number,
    terms: CodeTerms,
  ): Promise<readonly { readonly code: string; readonly record: RedeemCode }[]> {
    const codes = Array.from({ length: count }, () => ({ id: newId(), code: newRedeemCode() }));
    const records = await this.#store.add(
      codes.map(({ id, code }) => ({ id, hash: hashRedeemCode(code), hint: redeemCodeHint(code) })),
      terms,
    );
    const byId = new Map(records.map((record) => [record.id, record]));
    return codes.flatMap(({ id, code }) => {
      const record = byId.get(id);
      return record === undefined ? [] : [{ code, record }];
    });
  }

  /** Refuses a typo before any lookup. `admit` refuses clients that try too often. */
  async redeem(accountId: string, text: string, admit: () => Promise<void>): Promise<Redeemed> {
    const code = parseRedeemCode(text);
    if (code === undefined) {
      throw new Fault(
        "invalid_request",
        "This is not a whole code: a character is wrong, missing or too many. Codes look like TL-XXXX-XXXX-XXXX-XXXXX.",
        { param: "code" },
      );
    }
    await admit();
    const redemption = await this.#store.redeem(accountId, hashRedeemCode(code));
    if (redemption.outcome !== "redeemed") throw redemptionFault(redemption);
    this.#onCredit(accountId);
    return redemption;
  }
}

/** Only a client that was given the code knows its 80 bits, so the reason of a refusal tells a guesser nothing. */
function redemptionFault(redemption: Exclude<Redemption, Redeemed>): Fault {
  if (redemption.outcome === "repeated") {
    const day = redemption.at.toISOString().slice(0, 10);
    return new Fault("conflict", `You have redeemed this code already, on ${day}. It counts once for each account.`, {
      param: "code",
    });
  }
  return new Fault("invalid_code", REFUSAL_REASONS[redemption.outcome], { param: "code" });
}

const REFUSAL_REASONS = {
  unknown: "There is no such code. Check it against what you were given.",
  used: "This code is used up. Ask whoever gave it to you for another.",
  expired: "This code has expired. Ask whoever gave it to you for another.",
  stopped: "This code was withdrawn. Ask whoever gave it to you for another.",
} as const;

/** Crockford's alphabet: without I, L, O and U, which are easily misread. */
const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Each character holds 5 bits: 80 random bits in total. */
const RANDOM_LENGTH = 16;
const CODE_LENGTH = RANDOM_LENGTH + 1;

/** A new code such as `TL-7K3M-Q9ZD-0W2B-XR5T1`: 80 random bits and a check character. */
export function newRedeemCode(): string {
  const random = [...randomBytes(RANDOM_LENGTH)].map((byte) => byte & 31);
  return formatCode([...random, timesX(checksumOf(random))]);
}

/** The canonical form of a typed code; undefined where it can't be one. Ignores case, spaces, dashes and look-alikes. */
export function parseRedeemCode(text: string): string | undefined {
  const tidy = text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  // The prefix `TL` reads `T1` here, since L was replaced.
  const bare = tidy.length === CODE_LENGTH + 2 && tidy.startsWith("T1") ? tidy.slice(2) : tidy;
  const digits = [...bare].map((character) => CODE_ALPHABET.indexOf(character));
  const isCode = digits.length === CODE_LENGTH && !digits.includes(-1) && checksumOf(digits) === 0;
  return isCode ? formatCode(digits) : undefined;
}

/** The only form in which a code is stored or looked up. */
export function hashRedeemCode(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}

/** The part of a code that lists show. */
export function redeemCodeHint(code: string): string {
  return `${code.slice(0, 7)}…`;
}

function formatCode(digits: readonly number[]): string {
  const text = digits.map((digit) => CODE_ALPHABET[digit] ?? "").join("");
  return `TL-${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8, 12)}-${text.slice(12)}`;
}

/**
 * The value of the digits as a polynomial over the field of 32 elements, which is 0 for a valid code. Each position has
 * its own weight, so a single wrong character or two swapped ones never leave it 0.
 */
function checksumOf(digits: readonly number[]): number {
  return digits.reduce((value, digit) => timesX(value) ^ digit, 0);
}

/** Times x, modulo x⁵ + x² + 1. */
function timesX(value: number): number {
  return (value << 1) ^ (value & 16 ? 0b100101 : 0);
}
