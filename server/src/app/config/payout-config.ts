import { scaleDecimal } from "@trunkline/core/money.ts";
import { z } from "zod";

/** What providers get of what clients paid for their models. */
export interface PayoutConfig {
  /** The service's part, in millionths, where nothing else was agreed with a provider. */
  readonly feePpm: number;
  /** The least amount of a payout, in credits with at most 9 decimals. */
  readonly minimumCredits: number;
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
};

export function readPayouts(variables: {
  readonly TRUNKLINE_PROVIDER_FEE: number;
  readonly TRUNKLINE_PAYOUT_MINIMUM: number;
}): PayoutConfig {
  return { feePpm: variables.TRUNKLINE_PROVIDER_FEE, minimumCredits: variables.TRUNKLINE_PAYOUT_MINIMUM };
}
