import type { NanoCredits } from "@trunkline/core/money.ts";

/** Credits per token, exactly: the numerator divided by ten to the power of the decimals. */
export interface TokenRate {
  readonly numerator: bigint;
  readonly decimals: number;
}

const NANO_DECIMALS = 9;

/** What units of a token are worth, rounded down to a nano-credit. */
export function creditsFor(units: bigint, tokenDecimals: number, rate: TokenRate): NanoCredits {
  return (units * rate.numerator * 10n ** BigInt(NANO_DECIMALS)) / 10n ** BigInt(tokenDecimals + rate.decimals);
}

/** The units that are worth at least so much: rounded up. */
export function unitsFor(amount: NanoCredits, tokenDecimals: number, rate: TokenRate): bigint {
  const perUnit = rate.numerator * 10n ** BigInt(NANO_DECIMALS);
  return (amount * 10n ** BigInt(tokenDecimals + rate.decimals) + perUnit - 1n) / perUnit;
}

/** An integer count of 10^-decimals as a plain decimal, without zeros at its end. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

export function formatRate(rate: TokenRate): string {
  return formatUnits(rate.numerator, rate.decimals);
}
