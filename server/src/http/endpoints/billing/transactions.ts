import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isCalendarDate, isoDateSchema } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { INCOMING_KINDS, OUTGOING_KINDS } from "@trunkline/core/ledger-kinds.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { startOfDay } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { StatementsSnapshot } from "../../../ledger/billing/statements-reader.ts";
import {
  listDailyTransactions,
  listSingleTransactions,
  TRANSACTION_KINDS,
  type Transaction,
  transactionCursor,
} from "../../../ledger/billing/transactions.ts";
import {
  invalidCursorFault,
  pageQuery,
  pageResponseSchema,
  toCsv,
  toPage,
  wantsCsv,
} from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";

/** A line of an account's history. Fields that don't apply to its kind are null. */
const transactionResponseSchema = z.object({
  id: z.string().describe("The number of a receipt or of what was taken back, a day, or a request's id."),
  kind: z.enum([...INCOMING_KINDS, ...OUTGOING_KINDS, "charge"]),
  date: z.string().describe("The day in the account's time zone."),
  created_at: z.string().nullable().describe("null for the charges of a day."),
  description: z.string(),
  amount: z.number().describe("Credits; below zero where they were spent or taken back."),
  balance_after: z.number().describe("Below zero: what the account owes."),
  requests: z.number().nullable().describe("How many requests were answered on this day, those that cost nothing too."),
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

function toTransactionResponse(line: Transaction): TransactionResponse {
  const balance_after = toCredits(line.balance);
  switch (line.type) {
    case "movement": {
      const { number, kind, day, amount, createdAt } = line.movement;
      return {
        ...EMPTY_FIELDS,
        id: number,
        kind,
        date: day,
        created_at: createdAt.toISOString(),
        description: describeMovement(line.movement),
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
      const { charge } = line;
      return {
        ...EMPTY_FIELDS,
        id: charge.requestId,
        kind: "charge",
        date: charge.day,
        created_at: charge.createdAt.toISOString(),
        description: charge.model ?? "A request",
        amount: toCredits(-charge.cost),
        balance_after,
        request_id: charge.requestId,
        model: charge.model ?? null,
        key_id: charge.keyId,
        key_name: charge.keyName ?? null,
        input_tokens: charge.inputTokens,
        output_tokens: charge.outputTokens,
      };
    }
  }
}

/** Where credits came from or went to, as a sentence. */
export function describeMovement({ kind, memo }: { readonly kind: string; readonly memo: string }): string {
  if (kind === "redeem") return `Code ${memo} redeemed`;
  if (kind === "purchase") return `Bought by card, order ${memo}`;
  if (kind === "refund") return `Refunded to the card, order ${memo}`;
  if (kind === "dispute") return `Disputed card payment, order ${memo}`;
  if (kind === "dispute_won") return `Given back: a dispute that was won, or a refund that failed, order ${memo}`;
  if (kind === "debt") return `Refunded or disputed beyond the balance, order ${memo}`;
  if (kind === "deposit") return `Token deposit: ${memo}`;
  if (kind === "x402") return `Paid per request: ${memo}`;
  if (kind === "grant" && memo === "sign-up credits") return "Credits for signing up";
  return memo === "" || memo === "operator grant" ? "Granted by the operator" : `Granted by the operator: ${memo}`;
}

const transactionQuery = pageQuery.extend({
  kind: z.enum(TRANSACTION_KINDS).default("all"),
  from: isoDateSchema.optional().describe("The first day, in the account's time zone."),
  to: isoDateSchema.optional().describe("The last day."),
  group: z
    .enum(["day", "none"])
    .default("day")
    .describe("`day`: the charges of a day are one line, after what came in on it. `none`: each by itself."),
});

type TransactionQuery = z.output<typeof transactionQuery>;

/** As many rows as a spreadsheet opens easily. */
const CSV_ROWS_MAX = 50_000;

const CSV_COLUMNS = [
  "id",
  "kind",
  "date",
  "created_at",
  "description",
  "amount",
  "balance_after",
  "requests",
  "request_id",
  "model",
  "key_id",
  "key_name",
  "input_tokens",
  "output_tokens",
];

const listTransactions = controlEndpoint({
  method: "GET",
  path: "/v1/transactions",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "What came in and what was spent, newest first",
  description:
    "Each line has the balance after it; together they are the balance. A charge counts for the moment at which its request arrived. CSV with `Accept: text/csv`, of the whole range at once.",
  faults: [],
  query: transactionQuery,
  alternativeContentTypes: ["text/csv"],
  response: pageResponseSchema(transactionResponseSchema),
  handle: ({ services, caller, query, request }) =>
    services.ledger.statementsReader.open(caller, async (snapshot) => {
      if (!wantsCsv(request)) {
        const lines = await listLines(snapshot, query, caller, query.limit + 1);
        return toPage(lines, query.limit, toTransactionResponse, transactionCursor);
      }
      const lines = await listLines(snapshot, { ...query, cursor: undefined }, caller, CSV_ROWS_MAX + 1);
      if (lines.length > CSV_ROWS_MAX) {
        throw new Fault(
          "invalid_request",
          `These are more than ${CSV_ROWS_MAX} lines. Narrow the range with \`from\` and \`to\`.`,
          { param: "from" },
        );
      }
      return new Reply(200, toCsv(CSV_COLUMNS, lines.map(toCsvRow)), "text/csv; charset=utf-8");
    }),
});

function listLines(
  snapshot: StatementsSnapshot,
  { kind, from, to, group, cursor }: TransactionQuery,
  { timeZone }: Caller,
  limit: number,
): Promise<Transaction[]> {
  if (cursor !== undefined && !isTransactionCursor(cursor, group)) throw invalidCursorFault();
  if (group === "day") return listDailyTransactions(snapshot, kind, { from, to }, cursor, limit);
  const span = {
    from: from === undefined ? undefined : startOfDay(from, timeZone, 0),
    to: to === undefined ? undefined : startOfDay(to, timeZone, 1),
  };
  return listSingleTransactions(snapshot, kind, span, cursor, limit);
}

function isTransactionCursor(text: string, group: TransactionQuery["group"]): boolean {
  if (/^(TL|RF)-\d{4}-\d{4,12}$/.test(text)) return true;
  return group === "none" ? isId(text) : /^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text);
}

function toCsvRow(line: Transaction): Record<string, string | number> {
  return Object.fromEntries(Object.entries(toTransactionResponse(line)).map(([name, value]) => [name, value ?? ""]));
}

export const transactionEndpoints: readonly Endpoint[] = [listTransactions];
