import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashRedeemCode, newRedeemCode, parseRedeemCode, redeemCodeHint } from "./code-format.ts";
import type { CodeTerms, RedeemCode, RedeemCodeStore, Redemption } from "./redeem-codes.ts";

type Redeemed = Extract<Redemption, { outcome: "redeemed" }>;

/** Makes and redeems codes. */
export class RedeemCodes {
  readonly #store: RedeemCodeStore;
  /** Called when an account has more than before. */
  readonly #onCredit: (accountId: string) => void;

  constructor(store: RedeemCodeStore, onCredit: (accountId: string) => void) {
    this.#store = store;
    this.#onCredit = onCredit;
  }

  /** The codes themselves are known only to whoever gets this answer. */
  async create(
    count: number,
    terms: CodeTerms,
  ): Promise<readonly { readonly code: string; readonly kept: RedeemCode }[]> {
    const codes = Array.from({ length: count }, () => ({ id: newId(), code: newRedeemCode() }));
    const kept = await this.#store.add(
      codes.map(({ id, code }) => ({ id, hash: hashRedeemCode(code), hint: redeemCodeHint(code) })),
      terms,
    );
    const byId = new Map(kept.map((one) => [one.id, one]));
    return codes.flatMap(({ id, code }) => {
      const one = byId.get(id);
      return one === undefined ? [] : [{ code, kept: one }];
    });
  }

  /** A typo is told before anything is looked up; `admit` may refuse whoever tries too often. */
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

/** Whoever has all of a code's 80 bits was given it, so that telling why it no longer works tells a guesser nothing. */
function redemptionFault(redemption: Exclude<Redemption, Redeemed>): Fault {
  if (redemption.outcome === "repeated") {
    const day = redemption.at.toISOString().slice(0, 10);
    return new Fault(
      "conflict",
      `You have redeemed this code already, on ${day}. It counts once for each account.`,
      {
        param: "code",
      },
    );
  }
  return new Fault("invalid_code", REFUSAL_REASONS[redemption.outcome], { param: "code" });
}

const REFUSAL_REASONS = {
  unknown: "There is no such code. Check it against what you were given.",
  used: "This code is used up. Ask whoever gave it to you for another.",
  expired: "This code has expired. Ask whoever gave it to you for another.",
  stopped: "This code was withdrawn. Ask whoever gave it to you for another.",
} as const;
