import { NANO_PER_CREDIT, type NanoCredits } from "./money.ts";

/** An amount for people, exact and never in exponent form: `0.0000012 credits`. */
export function formatCredits(amount: NanoCredits): string {
  return `${formatCreditsNumber(amount)} credits`;
}

/** The number alone, for where the unit is known. */
export function formatCreditsNumber(amount: NanoCredits): string {
  const sign = amount < 0n ? "-" : "";
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % NANO_PER_CREDIT).toString().padStart(9, "0").replace(/0+$/, "");
  const whole = `${sign}${size / NANO_PER_CREDIT}`;
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
