import type { Secret } from "@trunkline/core/secret.ts";
import type { TokenRate } from "../token/token-rate.ts";

/** How single requests are paid for by x402. Addresses are in lower case. */
export interface X402Settings {
  readonly rpcUrl: Secret;
  readonly chainId: number;
  /** The contract of the token or stablecoin, with EIP-3009. */
  readonly asset: string;
  /** Who is paid. */
  readonly payTo: string;
  /** The private key that sends the transfers, and pays for their gas. */
  readonly key: Secret;
  /** Credits per whole token. */
  readonly rate: TokenRate;
  /** The version in the contract's EIP-712 domain. */
  readonly assetVersion: string;
  /** The least amount of a payment, in credits, so that it is worth its gas. */
  readonly minimumCredits: number;
}
