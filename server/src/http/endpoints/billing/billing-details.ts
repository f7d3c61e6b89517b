import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { BillingDetails } from "../../../ledger/billing/billing-details.ts";

const line = (longest: number) => storable(z.string().trim().min(1).max(longest));

const fields = {
  company: line(128).nullable().describe("Whom receipts are made out to; null: the organisation's own name."),
  address: z.array(line(128)).max(6).describe("Lines of the postal address."),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters by ISO 3166, for example DE")
    .nullable(),
  tax_id: line(64).nullable().describe("Such as a VAT number."),
  email: z
    .email("must be an e-mail address")
    .max(254)
    .nullable()
    .describe("Who is asked about receipts; shown on them."),
};

/** Billing details as they are shown. */
export const detailsShown = z.object(fields);
export const detailsPatch = z.object(fields).partial();

export function detailsChangeOf(body: z.infer<typeof detailsPatch>): Partial<BillingDetails> {
  return {
    ...(body.company === undefined ? {} : { company: body.company ?? undefined }),
    ...(body.address === undefined ? {} : { address: body.address }),
    ...(body.country === undefined ? {} : { country: body.country ?? undefined }),
    ...(body.tax_id === undefined ? {} : { taxId: body.tax_id ?? undefined }),
    ...(body.email === undefined ? {} : { email: body.email ?? undefined }),
  };
}

export function detailsToWire(details: BillingDetails): z.infer<typeof detailsShown> {
  return {
    company: details.company ?? null,
    address: [...details.address],
    country: details.country ?? null,
    tax_id: details.taxId ?? null,
    email: details.email ?? null,
  };
}
