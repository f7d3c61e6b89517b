import { storableText } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { BillingDetails } from "../../../ledger/billing/billing-details.ts";

const lineSchema = (longest: number) => storableText(z.string().trim().min(1).max(longest));

const billingDetailsFields = {
  company: lineSchema(128)
    .nullable()
    .describe("Whom receipts are made out to; null: the organisation's own name."),
  address: z.array(lineSchema(128)).max(6).describe("Lines of the postal address."),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters by ISO 3166, for example DE")
    .nullable(),
  tax_id: lineSchema(64).nullable().describe("Such as a VAT number."),
  email: z
    .email("must be an e-mail address")
    .max(254)
    .nullable()
    .describe("Who is asked about receipts; shown on them."),
};

/** Billing details as they are shown. */
export const billingDetailsResponseSchema = z.object(billingDetailsFields);
export const updateBillingDetailsSchema = z.object(billingDetailsFields).partial();

export function toBillingDetailsChange(
  body: z.infer<typeof updateBillingDetailsSchema>,
): Partial<BillingDetails> {
  return {
    ...(body.company === undefined ? {} : { company: body.company ?? undefined }),
    ...(body.address === undefined ? {} : { address: body.address }),
    ...(body.country === undefined ? {} : { country: body.country ?? undefined }),
    ...(body.tax_id === undefined ? {} : { taxId: body.tax_id ?? undefined }),
    ...(body.email === undefined ? {} : { email: body.email ?? undefined }),
  };
}

export function toBillingDetailsResponse(
  details: BillingDetails,
): z.infer<typeof billingDetailsResponseSchema> {
  return {
    company: details.company ?? null,
    address: [...details.address],
    country: details.country ?? null,
    tax_id: details.taxId ?? null,
    email: details.email ?? null,
  };
}
