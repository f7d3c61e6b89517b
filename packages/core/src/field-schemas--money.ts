import { z } from "zod";
import { fromCredits, type NanoCredits } from "./money.ts";

/** An amount in credits on the wire, exact to the nano-credit, as money inside. */
export function creditsSchema(min: number, max: number) {
  return z
    .number()
    .min(min)
    .max(max)
    .refine((value) => fromCredits(value) !== undefined, "may have at most 9 decimals")
    .describe("Credits; at most 9 decimals.");
}

/** For a number that `credits` let in. */
export function toNanoCredits(value: number): NanoCredits {
  const amount = fromCredits(value);
  if (amount === undefined) throw new Error(`${value} has more than 9 decimals.`);
  return amount;
}
