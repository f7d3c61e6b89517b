import type { Secret } from "@trunkline/core/secret.ts";
import type { TokenRate } from "./token-rate.ts";

/** How the operator lets customers pay by token. Addresses are in lower case. */
export interface TokenSettings {
  /** Where the chain is read. With several, more than half must answer, and all that answer must agree. */
  readonly rpcUrls: readonly Secret[];
  readonly chainId: number;
  /** The token. */
  readonly contract: string;
  /** Whom the tokens are sent to. */
  readonly treasury: string;
  /** Takes payments for an account by its reference; undefined: there is none. */
  readonly depositContract: string | undefined;
  readonly rate:
    | { readonly kind: "fixed"; readonly rate: TokenRate }
    /** A contract with the functions of a Chainlink aggregator that says the credits per token. */
    | { readonly kind: "feed"; readonly address: string; readonly maxAgeSeconds: number };
  /** How many blocks, its own included, make a transfer final; undefined: what the chain calls finalized. */
  readonly confirmations: number | undefined;
  /** No transfer before this block is looked at. */
  readonly startBlock: bigint;
}
