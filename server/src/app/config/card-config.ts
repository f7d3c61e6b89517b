import { fromCredits, NANO_PER_CREDIT, type NanoCredits } from "@trunkline/core/money.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { z } from "zod";
import type { CardTerms } from "../../payments/card/card-payments.ts";
import type { StripeSettings } from "../../payments/card/stripe-processor.ts";
import { ConfigError } from "./config-file.ts";

/** How cards are taken. */
export interface CardConfig extends CardTerms {
  readonly stripe: StripeSettings;
}

const secretText = z.string().regex(/^[\x21-\x7e]{16,255}$/, "must be 16 to 255 printable characters without spaces");

function creditsText(standard: number) {
  return z
    .string()
    .regex(/^\d{1,7}(\.\d{1,2})?$/, "must be an amount such as 5 or 12.50")
    .transform((text) => fromCredits(Number(text)) ?? 0n)
    .refine((amount) => amount > 0n, "must be above 0")
    .default(BigInt(standard) * NANO_PER_CREDIT);
}

/** Currencies that are counted in thousandths, which a credit does not divide into. */
const UNSUPPORTED_CURRENCIES = /^(bhd|jod|kwd|omr|tnd)$/;

/** The variables of payments by card. */
export const cardVariables = {
  STRIPE_SECRET_KEY: secretText.optional(),
  STRIPE_WEBHOOK_SECRET: secretText.optional(),
  STRIPE_API_BASE: z
    .string()
    .regex(/^https?:\/\/[^/\s?#]+\/?$/, "must be an address such as https://api.stripe.com, without a path")
    .default("https://api.stripe.com"),
  TRUNKLINE_CARD_CURRENCY: z
    .string()
    .regex(/^[A-Za-z]{3}$/, "must be three letters by ISO 4217, for example usd")
    .transform((currency) => currency.toLowerCase())
    .refine((currency) => !UNSUPPORTED_CURRENCIES.test(currency), "is counted in thousandths, which is not possible")
    .default("usd"),
  TRUNKLINE_CARD_SMALLEST: creditsText(5),
  TRUNKLINE_CARD_LARGEST: creditsText(1_000),
  TRUNKLINE_AUTO_TOP_UP_CEILING: creditsText(5_000),
};

interface CardVariables {
  readonly STRIPE_SECRET_KEY?: string | undefined;
  readonly STRIPE_WEBHOOK_SECRET?: string | undefined;
  readonly STRIPE_API_BASE: string;
  readonly TRUNKLINE_CARD_CURRENCY: string;
  readonly TRUNKLINE_CARD_SMALLEST: NanoCredits;
  readonly TRUNKLINE_CARD_LARGEST: NanoCredits;
  readonly TRUNKLINE_AUTO_TOP_UP_CEILING: NanoCredits;
}

/** Undefined: cards are not taken. A key without its webhook secret is refused, as no event could be believed. */
export function readCard(variables: CardVariables): CardConfig | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = variables;
  if (secretKey === undefined && webhookSecret === undefined) return undefined;
  if (secretKey === undefined)
    throw new ConfigError("STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET: cards are charged with it.");
  if (webhookSecret === undefined)
    throw new ConfigError(
      "STRIPE_WEBHOOK_SECRET is required with STRIPE_SECRET_KEY: without it nobody could tell real payments from forged ones.",
    );
  const { TRUNKLINE_CARD_SMALLEST: smallest, TRUNKLINE_CARD_LARGEST: largest } = variables;
  if (smallest > largest) throw new ConfigError("TRUNKLINE_CARD_SMALLEST must not be above TRUNKLINE_CARD_LARGEST.");
  return {
    stripe: {
      secretKey: new Secret(secretKey),
      webhookSecret: new Secret(webhookSecret),
      apiBase: variables.STRIPE_API_BASE,
    },
    currency: variables.TRUNKLINE_CARD_CURRENCY,
    smallest,
    largest,
    autoTopUpCeiling: variables.TRUNKLINE_AUTO_TOP_UP_CEILING,
  };
}
