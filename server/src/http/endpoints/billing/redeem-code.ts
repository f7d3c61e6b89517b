import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas--money.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { storableText } from "@trunkline/core/storable.ts";
import { z } from "zod";
import { CODE_STATES, type CodeTerms, type RedeemCode } from "../../../ledger/billing/redeem-codes.ts";

/** What the operator says of new codes. */
export const createRedeemCodesSchema = z.object({
  credits: creditsSchema(0.000000001, 1_000_000),
  count: z.int().min(1).max(1000).default(1).describe("How many codes to make."),
  uses: z.int().min(1).max(100_000).default(1).describe("By how many accounts each may be redeemed."),
  note: storableText(z.string().trim().max(256)).default("").describe("For the operator alone."),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
});

/** A code as the operator is shown it. */
export const redeemCodeResponseSchema = z.object({
  id: z.string(),
  hint: z.string().describe("Enough of the code to recognise it by."),
  credits: z.number(),
  uses: z.number(),
  used: z.number(),
  note: z.string(),
  state: z.enum(CODE_STATES),
  expires_at: z.string().nullable(),
  stopped_at: z.string().nullable(),
  created_at: z.string(),
});

export function toRedeemCodeTerms(body: z.infer<typeof createRedeemCodesSchema>): CodeTerms {
  return {
    amount: toNanoCredits(body.credits),
    uses: body.uses,
    note: body.note,
    expiresAt:
      body.expires_at === undefined || body.expires_at === null ? undefined : new Date(body.expires_at),
  };
}

export function toRedeemCodeResponse(code: RedeemCode): z.infer<typeof redeemCodeResponseSchema> {
  return {
    id: code.id,
    hint: code.hint,
    credits: toCredits(code.amount),
    uses: code.uses,
    used: code.used,
    note: code.note,
    state: code.state,
    expires_at: code.expiresAt?.toISOString() ?? null,
    stopped_at: code.stoppedAt?.toISOString() ?? null,
    created_at: code.createdAt.toISOString(),
  };
}
