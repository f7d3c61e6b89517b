import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { isOnCalendar, isoDate } from "@trunkline/core/iso-date.ts";
import { startOfDay } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { BooksPage } from "../../../ledger/billing/statements-reader.ts";
import {
  cursorOf,
  listByDay,
  listSingly,
  TRANSACTION_KINDS,
  type Transaction,
} from "../../../ledger/billing/transactions.ts";
import { csvOf } from "../../responses/csv.ts";
import { cutPage, pageOf, pageQuery, refuseCursor } from "../../responses/list-page.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";
import { transactionShown, transactionToWire } from "./transaction.ts";

const query = pageQuery.extend({
  kind: z.enum(TRANSACTION_KINDS).default("all"),
  from: isoDate.optional().describe("The first day, in the account's time zone."),
  to: isoDate.optional().describe("The last day."),
  group: z
    .enum(["day", "none"])
    .default("day")
    .describe("`day`: the charges of a day are one line, after what came in on it. `none`: each by itself."),
});

type TransactionQuery = z.output<typeof query>;

/** As many as a spreadsheet opens with ease. */
const CSV_LINES = 50_000;

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

const listTransactions = control({
  method: "GET",
  path: "/v1/transactions",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "What came in and what was spent, newest first",
  description:
    "Each line has the balance after it; together they are the balance. A charge counts for the moment at which its request arrived. CSV with `Accept: text/csv`, of the whole range at once.",
  faults: [],
  query,
  alternatives: ["text/csv"],
  answer: pageOf(transactionShown),
  handle: ({ house, caller, query: asked, request }) =>
    house.books.open(caller, async (page) => {
      if (!/\btext\/csv\b/i.test(request.headers.accept ?? "")) {
        const lines = await list(page, asked, caller, asked.limit + 1);
        return cutPage(lines, asked.limit, transactionToWire, cursorOf);
      }
      const lines = await list(page, { ...asked, cursor: undefined }, caller, CSV_LINES + 1);
      if (lines.length > CSV_LINES) {
        throw new Fault(
          "invalid_request",
          `These are more than ${CSV_LINES} lines. Narrow the range with \`from\` and \`to\`.`,
          { param: "from" },
        );
      }
      return new Reply(200, csvOf(CSV_COLUMNS, lines.map(csvLineOf)), "text/csv; charset=utf-8");
    }),
});

function list(
  page: BooksPage,
  { kind, from, to, group, cursor }: TransactionQuery,
  { timeZone }: Caller,
  limit: number,
): Promise<Transaction[]> {
  if (cursor !== undefined && !isCursor(cursor, group)) throw refuseCursor();
  if (group === "day") return listByDay(page, kind, { from, to }, cursor, limit);
  const span = {
    from: from === undefined ? undefined : startOfDay(from, timeZone, 0),
    to: to === undefined ? undefined : startOfDay(to, timeZone, 1),
  };
  return listSingly(page, kind, span, cursor, limit);
}

function isCursor(text: string, group: TransactionQuery["group"]): boolean {
  if (/^TL-\d{4}-\d{4,12}$/.test(text)) return true;
  return group === "none" ? isId(text) : /^\d{4}-\d{2}-\d{2}$/.test(text) && isOnCalendar(text);
}

function csvLineOf(line: Transaction): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(transactionToWire(line)).map(([name, value]) => [name, value ?? ""]),
  );
}

export const transactionEndpoints: readonly Endpoint[] = [listTransactions];
