import { Secret } from "@trunkline/core/secret.ts";
import { parseEndpointUrl } from "@trunkline/providers/dialer/address-guard.ts";
import { z } from "zod";
import type { TokenSettings } from "../../payments/token/token-settings.ts";
import type { X402Settings } from "../../payments/x402/x402-settings.ts";
import { ConfigError } from "./config-file.ts";
import { addressSchema, parseRate, rateTextSchema } from "./token-config.ts";

/** The variables of payments for single requests. */
export const x402Variables = {
  TRUNKLINE_X402_PAY_TO: addressSchema.optional(),
  TRUNKLINE_X402_ASSET: addressSchema.optional(),
  TRUNKLINE_X402_CHAIN_ID: z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .optional(),
  TRUNKLINE_X402_RPC_URL: z
    .string()
    .refine(
      (url) => typeof parseEndpointUrl(url, true) !== "string",
      "must be an address such as https://rpc.example.com",
    )
    .optional(),
  TRUNKLINE_X402_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "must be a private key: 0x and 64 hexadecimal digits")
    .optional(),
  TRUNKLINE_X402_RATE: rateTextSchema.default("1"),
  TRUNKLINE_X402_ASSET_VERSION: z.string().min(1).max(16).default("1"),
  TRUNKLINE_X402_MINIMUM: z
    .string()
    .regex(/^\d{1,7}(\.\d{1,9})?$/, "must be an amount in credits, with at most 9 decimals")
    .transform(Number)
    .default(0.01),
};

type X402Variables = z.output<z.ZodObject<typeof x402Variables>>;

/** How single requests are paid for; undefined: they are not. */
export function readX402Settings(
  variables: X402Variables,
  token: Pick<TokenSettings, "chainId" | "contract" | "treasury"> | undefined,
  payoutKey: string | undefined,
): X402Settings | undefined {
  const {
    TRUNKLINE_X402_PAY_TO: payTo,
    TRUNKLINE_X402_ASSET: asset,
    TRUNKLINE_X402_CHAIN_ID: chainId,
    TRUNKLINE_X402_RPC_URL: rpcUrl,
    TRUNKLINE_X402_KEY: key,
  } = variables;
  const required = {
    TRUNKLINE_X402_PAY_TO: payTo,
    TRUNKLINE_X402_ASSET: asset,
    TRUNKLINE_X402_CHAIN_ID: chainId,
    TRUNKLINE_X402_RPC_URL: rpcUrl,
    TRUNKLINE_X402_KEY: key,
  };
  if (Object.values(required).every((value) => value === undefined)) return undefined;
  if (
    payTo === undefined ||
    asset === undefined ||
    chainId === undefined ||
    rpcUrl === undefined ||
    key === undefined
  ) {
    const missing = Object.entries(required).find(([, value]) => value === undefined)?.[0];
    throw new ConfigError(
      `${missing} is required where requests can be paid for by x402, as are ${Object.keys(required).join(", ")}.`,
    );
  }
  if (token?.chainId === chainId && token.contract === asset && token.treasury === payTo) {
    throw new ConfigError(
      "TRUNKLINE_X402_PAY_TO is TRUNKLINE_TOKEN_TREASURY, of the same token: what is paid for a request would be credited as a deposit too. Use another address.",
    );
  }
  if (token?.chainId === chainId && payoutKey?.toLowerCase() === key.toLowerCase()) {
    throw new ConfigError(
      "TRUNKLINE_X402_KEY and TRUNKLINE_TOKEN_PAYOUT_KEY are the same key: their transactions would take each other's numbers. Use two keys.",
    );
  }
  return {
    rpcUrl: new Secret(rpcUrl),
    chainId,
    asset,
    payTo,
    key: new Secret(key),
    rate: parseRate(variables.TRUNKLINE_X402_RATE),
    assetVersion: variables.TRUNKLINE_X402_ASSET_VERSION,
    minimumCredits: variables.TRUNKLINE_X402_MINIMUM,
  };
}
