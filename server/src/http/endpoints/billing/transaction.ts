import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { INCOMING_KINDS } from "../../../ledger/billing/statements-reader.ts";
import type { Transaction } from "../../../ledger/billing/transactions.ts";

/** A line of an account's history. What does not apply to its kind is null. */
export const transactionResponseSchema = z.object({
  id: z.string().describe("A receipt's number, a day, or a request's id."),
  kind: z.enum([...INCOMING_KINDS, "charge"]),
  date: z.string().describe("The day in the account's time zone."),
  created_at: z.string().nullable().describe("null for the charges of a day."),
  description: z.string(),
  amount: z.number().describe("Credits; below zero where they were spent."),
  balance_after: z.number(),
  requests: z
    .number()
    .nullable()
    .describe("How many requests were answered on this day, those that cost nothing too."),
  request_id: z.string().nullable(),
  model: z.string().nullable().describe("provider/name"),
  key_id: z.string().nullable(),
  key_name: z.string().nullable(),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
});

type TransactionResponse = z.infer<typeof transactionResponseSchema>;

const EMPTY_FIELDS = {
  created_at: null,
  requests: null,
  request_id: null,
  model: null,
  key_id: null,
  key_name: null,
  input_tokens: null,
  output_tokens: null,
};

export function toTransactionResponse(line: Transaction): TransactionResponse {
  const balance_after = toCredits(line.balance);
  switch (line.type) {
    case "incoming": {
      const { number, kind, day, amount, createdAt } = line.incoming;
      return {
        ...EMPTY_FIELDS,
        id: number,
        kind,
        date: day,
        created_at: createdAt.toISOString(),
        description: describeIncoming(line.incoming),
        amount: toCredits(amount),
        balance_after,
      };
    }
    case "day": {
      const { day, requests, cost } = line.day;
      return {
        ...EMPTY_FIELDS,
        id: day,
        kind: "charge",
        date: day,
        description: requests === 1 ? "1 request" : `${requests} requests`,
        amount: toCredits(-cost),
        balance_after,
        requests,
      };
    }
    case "charge": {
      const { charge: requestCharge } = line;
      return {
        ...EMPTY_FIELDS,
        id: requestCharge.requestId,
        kind: "charge",
        date: requestCharge.day,
        created_at: requestCharge.createdAt.toISOString(),
        description: requestCharge.model ?? "A request",
        amount: toCredits(-requestCharge.cost),
        balance_after,
        request_id: requestCharge.requestId,
        model: requestCharge.model ?? null,
        key_id: requestCharge.keyId,
        key_name: requestCharge.keyName ?? null,
        input_tokens: requestCharge.inputTokens,
        output_tokens: requestCharge.outputTokens,
      };
    }
  }
}

/** Where credits came from, in words. */
export function describeIncoming({ kind, memo }: { readonly kind: string; readonly memo: string }): string {
  if (kind === "redeem") return `Code ${memo} redeemed`;
  return memo === "" || memo === "operator grant"
    ? "Granted by the operator"
    : `Granted by the operator: ${memo}`;
}
