import type { NanoCredits } from "@trunkline/core/money.ts";
import { RpcRefusal } from "./json-rpc.ts";
import type { TokenChain } from "./token-chain.ts";
import type { SignedTransaction, TransactionSender } from "./transaction-sender.ts";

/** A payout in the token that is approved, or on its way. */
export interface TokenPayout {
  readonly id: string;
  readonly amount: NanoCredits;
  /** The wallet. */
  readonly destination: string;
  /** Undefined until it is on its way. */
  readonly transaction: SignedTransaction | undefined;
}

export interface TokenPayoutStore {
  /** Payouts in the token that are approved or on their way, oldest first. */
  listOpen(): Promise<readonly TokenPayout[]>;
  /**
   * Signs and keeps the transaction of an approved payout, one at a time over all instances. `sign` gets the lowest nonce
   * that no earlier transaction of the sender here has. Undefined: it is not `approved` any more.
   */
  beginSending(
    id: string,
    sender: string,
    sign: (leastNonce: bigint) => Promise<{ readonly signed: SignedTransaction; readonly units: bigint }>,
  ): Promise<SignedTransaction | undefined>;
  /** Ends one that is on its way: the transaction was mined for good, or reverted for good. */
  finish(id: string, state: "sent" | "failed", reference: string): Promise<void>;
}

export interface TokenPayoutOptions {
  readonly token: string;
  readonly chain: Pick<TokenChain, "facts" | "rate" | "heads">;
  readonly sender: TransactionSender;
  readonly store: TokenPayoutStore;
  readonly onError: (error: unknown) => void;
}

const NANO_DECIMALS = 9;

/** Pays approved payouts in the token. */
export class TokenPayouts {
  readonly #options: TokenPayoutOptions;

  constructor(options: TokenPayoutOptions) {
    this.#options = options;
  }

  /** Moves every payout on as far as it goes. */
  async run(): Promise<void> {
    const { store, onError } = this.#options;
    for (const payout of await store.listOpen()) {
      // One that fails must not keep the others.
      await (payout.transaction === undefined ? this.#begin(payout) : this.#check(payout, payout.transaction)).catch(
        onError,
      );
    }
  }

  async #begin(payout: TokenPayout): Promise<void> {
    const { store, sender } = this.#options;
    const units = await this.#unitsOf(payout.amount);
    const known = await sender.nonce();
    const signed = await store.beginSending(payout.id, await sender.address(), async (least) => ({
      signed: await sender.signTransfer(this.#options.token, payout.destination, units, known > least ? known : least),
      units,
    }));
    if (signed !== undefined) await sender.send(signed.raw);
  }

  /** The same transaction is sent again until the chain has it for good. Another is never made: that could pay twice. */
  async #check({ id }: TokenPayout, { hash, raw }: SignedTransaction): Promise<void> {
    const { store, sender, chain } = this.#options;
    const state = await sender.state(hash);
    if (state.kind === "unknown") {
      try {
        return await sender.send(raw);
      } catch (error) {
        if (!(error instanceof RpcRefusal) || !/nonce/i.test(error.message)) throw error;
        throw new Error(
          `The transaction ${hash} of payout ${id} can't be mined: another one of the same key has its number. Look at the chain.`,
          { cause: error },
        );
      }
    }
    const { final } = await chain.heads();
    if (state.block > final) return;
    if (state.kind === "mined") await store.finish(id, "sent", hash);
    else await store.finish(id, "failed", `The transaction ${hash} was reverted.`);
  }

  /** What an amount is worth in units of the token now, rounded down. */
  async #unitsOf(amount: NanoCredits): Promise<bigint> {
    const { decimals } = await this.#options.chain.facts();
    const rate = await this.#options.chain.rate("latest");
    if (rate === undefined) throw new Error("The token has no price now.");
    const units = (amount * 10n ** BigInt(decimals + rate.decimals)) / (rate.numerator * 10n ** BigInt(NANO_DECIMALS));
    if (units === 0n) throw new Error("A payout is worth less than a unit of the token.");
    return units;
  }
}
