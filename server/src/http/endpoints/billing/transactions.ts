import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { isCalendarDate, isoDateSchema } from "@trunkline/core/iso-date.ts";
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
import { toCsv } from "../../responses/csv.ts";
import { invalidCursorFault, pageQuery, pageResponseSchema, toPage } from "../../responses/list-page.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { toTransactionResponse, transactionResponseSchema } from "./transaction.ts";

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

/** As many as a spreadsheet opens with ease. */
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
  handle: ({ services, caller, query: asked, request }) =>
    services.statementsReader.open(caller, async (page) => {
      if (!/\btext\/csv\b/i.test(request.headers.accept ?? "")) {
        const lines = await listLines(page, asked, caller, asked.limit + 1);
        return toPage(lines, asked.limit, toTransactionResponse, transactionCursor);
      }
      const lines = await listLines(page, { ...asked, cursor: undefined }, caller, CSV_ROWS_MAX + 1);
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
  page: StatementsSnapshot,
  { kind, from, to, group, cursor }: TransactionQuery,
  { timeZone }: Caller,
  limit: number,
): Promise<Transaction[]> {
  if (cursor !== undefined && !isTransactionCursor(cursor, group)) throw invalidCursorFault();
  if (group === "day") return listDailyTransactions(page, kind, { from, to }, cursor, limit);
  const span = {
    from: from === undefined ? undefined : startOfDay(from, timeZone, 0),
    to: to === undefined ? undefined : startOfDay(to, timeZone, 1),
  };
  return listSingleTransactions(page, kind, span, cursor, limit);
}

function isTransactionCursor(text: string, group: TransactionQuery["group"]): boolean {
  if (/^TL-\d{4}-\d{4,12}$/.test(text)) return true;
  return group === "none" ? isId(text) : /^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text);
}

function toCsvRow(line: Transaction): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(toTransactionResponse(line)).map(([name, value]) => [name, value ?? ""]),
  );
}

export const transactionEndpoints: readonly Endpoint[] = [listTransactions];
