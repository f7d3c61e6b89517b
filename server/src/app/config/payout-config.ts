import { scaleDecimal } from "@trunkline/core/money.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { z } from "zod";
import { ConfigError } from "./config-file.ts";

/** What providers get of what clients paid for their models. */
export interface PayoutConfig {
  /** The service's part, in millionths, where nothing else was agreed with a provider. */
  readonly feePpm: number;
  /** The least amount of a payout, in credits with at most 9 decimals. */
  readonly minimumCredits: number;
  /** The private key that pays in the token; undefined: payouts are made by bank alone. */
  readonly tokenKey: Secret | undefined;
}

/** A percent is ten thousand millionths. */
const PERCENT_DECIMALS = 4;

/** A percentage, read as millionths. */
export const percentTextSchema = z
  .string()
  .regex(/^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/, "must be from 0 to 100, with at most 4 decimals")
  .transform((percent) => Number(scaleDecimal(Number(percent), PERCENT_DECIMALS) ?? 0n));

export const payoutVariables = {
  TRUNKLINE_PROVIDER_FEE: percentTextSchema.default(100_000),
  TRUNKLINE_PAYOUT_MINIMUM: z
    .string()
    .regex(/^\d{1,7}(\.\d{1,9})?$/, "must be an amount in credits, with at most 9 decimals")
    .transform(Number)
    .default(10),
  TRUNKLINE_TOKEN_PAYOUT_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "must be a private key: 0x and 64 hexadecimal digits")
    .optional(),
};

type PayoutVariables = z.output<z.ZodObject<typeof payoutVariables>>;

export function readPayouts(variables: PayoutVariables, acceptsToken: boolean): PayoutConfig {
  const key = variables.TRUNKLINE_TOKEN_PAYOUT_KEY;
  if (key !== undefined && !acceptsToken) {
    throw new ConfigError(
      "TRUNKLINE_TOKEN_PAYOUT_KEY pays in the token, and the token is not set up: set TRUNKLINE_TOKEN_RPC_URL and what belongs to it.",
    );
  }
  return {
    feePpm: variables.TRUNKLINE_PROVIDER_FEE,
    minimumCredits: variables.TRUNKLINE_PAYOUT_MINIMUM,
    tokenKey: key === undefined ? undefined : new Secret(key),
  };
}
