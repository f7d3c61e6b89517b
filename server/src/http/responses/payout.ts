import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { PAYOUT_STATES, type Payout } from "../../ledger/payouts/payouts.ts";
import { PAYOUT_METHODS } from "../../ledger/payouts/provider-earnings.ts";

/** A payout as its provider sees it. */
export const payoutResponseSchema = z.object({
  id: z.string(),
  amount: z.number(),
  method: z.enum(PAYOUT_METHODS),
  destination: z.string(),
  state: z
    .enum(PAYOUT_STATES)
    .describe(
      "`requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end.",
    ),
  reference: z
    .string()
    .nullable()
    .describe("The bank's reference or the transaction's hash of a sent one, the reason of a failed one."),
  created_at: z.string(),
  approved_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});

/** The same as the operator sees it. */
export const operatorPayoutResponseSchema = payoutResponseSchema.extend({
  account_id: z.string(),
  account: z.string(),
  destination_changed_at: z
    .string()
    .nullable()
    .describe("When the provider last changed where it is paid to. Ask it about a recent change before you approve."),
});

export function toPayoutResponse(payout: Payout): z.infer<typeof payoutResponseSchema> {
  return {
    id: payout.id,
    amount: toCredits(payout.amount),
    method: payout.method,
    destination: payout.destination,
    state: payout.state,
    reference: payout.reference ?? null,
    created_at: payout.createdAt.toISOString(),
    approved_at: payout.approvedAt?.toISOString() ?? null,
    ended_at: payout.endedAt?.toISOString() ?? null,
  };
}

export function toOperatorPayoutResponse(payout: Payout): z.infer<typeof operatorPayoutResponseSchema> {
  return {
    ...toPayoutResponse(payout),
    account_id: payout.accountId,
    account: payout.account,
    destination_changed_at: payout.destinationChangedAt?.toISOString() ?? null,
  };
}
