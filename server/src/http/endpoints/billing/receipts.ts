import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { NO_BILLING_DETAILS } from "../../../ledger/billing/billing-details.ts";
import { listMonths, type MonthSum, readStatement } from "../../../ledger/billing/statements.ts";
import { INCOMING_KINDS, type Incoming, type Share } from "../../../ledger/billing/statements-reader.ts";
import { cutPage, pageOf, pageQuery, refuseCursor } from "../../responses/list-page.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { detailsShown, detailsToWire } from "./billing-details.ts";
import { describeIncoming } from "./transaction.ts";

const receiptShown = z.object({
  id: z.string(),
  number: z.string().describe("Consecutive for each account and year."),
  kind: z.enum(INCOMING_KINDS),
  date: z.string().describe("The day in the account's time zone."),
  created_at: z.string(),
  description: z.string(),
  amount: z.number(),
});

/** Who issues a paper, and whom it is made out to, as they are now. */
const parties = z.object({
  issuer: z.object({ name: z.string(), url: z.string().nullable() }),
  recipient: detailsShown.extend({ name: z.string().describe("The organisation's own name.") }),
});

const listReceipts = control({
  method: "GET",
  path: "/v1/receipts",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Receipts for everything that came in, newest first",
  faults: [],
  query: pageQuery,
  answer: pageOf(receiptShown),
  async handle({ house, caller, query: { limit, cursor } }) {
    const incoming = await house.books.open(caller, (page) => page.incoming());
    const place =
      cursor === undefined ? incoming.length : incoming.findIndex(({ number }) => number === cursor);
    if (place === -1) throw refuseCursor();
    const rest = incoming.slice(0, place).toReversed();
    return cutPage(rest, limit, receiptToWire, ({ number }) => number);
  },
});

const readReceipt = control({
  method: "GET",
  path: "/v1/receipts/:id",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "A receipt",
  faults: ["not_found"],
  answer: receiptShown.extend(parties.shape),
  async handle({ house, caller, params }) {
    const incoming = await house.books.open(caller, (page) => page.incoming());
    const found = incoming.find(({ number }) => number === params.id);
    if (found === undefined)
      throw new Fault("not_found", "There is no such receipt. List yours with GET /v1/receipts.");
    return { ...receiptToWire(found), ...(await partiesOf(house, caller)) };
  },
});

const monthShown = z.object({
  id: z.string(),
  month: z.string(),
  opening_balance: z.number(),
  incoming: z.number(),
  charges: z.number(),
  closing_balance: z.number().describe("The opening balance, and what came in, less the charges."),
});

const shareShown = z.object({ requests: z.number(), cost: z.number() });

const listStatements = control({
  method: "GET",
  path: "/v1/statements",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Statements of the months in which anything happened, newest first",
  faults: [],
  query: pageQuery,
  answer: pageOf(monthShown),
  async handle({ house, caller, query: { limit, cursor } }) {
    if (cursor !== undefined && !MONTH.test(cursor)) throw refuseCursor();
    const months = await house.books.open(caller, listMonths);
    const rest = cursor === undefined ? months : months.filter(({ month }) => month < cursor);
    return cutPage(rest, limit, monthToWire, ({ month }) => month);
  },
});

const readOneStatement = control({
  method: "GET",
  path: "/v1/statements/:month",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "A month's statement",
  description:
    "`month` is YYYY-MM, in the account's time zone. A month that is not over yet is told as it stands.",
  faults: ["not_found"],
  answer: monthShown.extend({
    from: z.string(),
    to: z.string().describe("The first moment after the month."),
    time_zone: z.string(),
    complete: z.boolean().describe("Whether the month is over."),
    receipts: z.array(receiptShown),
    by_model: z.array(shareShown.extend({ model: z.string() })),
    by_key: z.array(shareShown.extend({ key_id: z.string(), key_name: z.string().nullable() })),
    ...parties.shape,
  }),
  async handle({ house, caller, params }) {
    const month = params.month ?? "";
    const statement = MONTH.test(month)
      ? await house.books.open(caller, (page) => readStatement(page, month, caller.timeZone))
      : undefined;
    if (statement === undefined) {
      throw new Fault("not_found", "There is no statement of that month. List them with GET /v1/statements.");
    }
    const { span, byModel, byKey, incoming } = statement;
    return {
      ...monthToWire(statement),
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      time_zone: caller.timeZone,
      complete: span.to.getTime() <= house.clock.now(),
      receipts: incoming.map(receiptToWire),
      by_model: byModel.map((share) => ({ model: share.id, ...shareToWire(share) })),
      by_key: byKey.map((share) => ({
        key_id: share.id,
        key_name: share.name ?? null,
        ...shareToWire(share),
      })),
      ...(await partiesOf(house, caller)),
    };
  },
});

/** Nothing happened before the year 2000. */
const MONTH = /^2\d{3}-(0[1-9]|1[0-2])$/;

async function partiesOf(house: House, { accountId }: Caller): Promise<z.infer<typeof parties>> {
  const account = await house.accounts.find(accountId);
  const details = (await house.billingDetails.find(accountId)) ?? NO_BILLING_DETAILS;
  return {
    issuer: { name: "Trunkline", url: house.config.publicUrl ?? null },
    recipient: { name: account?.name ?? "", ...detailsToWire(details) },
  };
}

function receiptToWire(incoming: Incoming): z.infer<typeof receiptShown> {
  return {
    id: incoming.number,
    number: incoming.number,
    kind: incoming.kind,
    date: incoming.day,
    created_at: incoming.createdAt.toISOString(),
    description: describeIncoming(incoming),
    amount: toCredits(incoming.amount),
  };
}

function monthToWire(sum: MonthSum): z.infer<typeof monthShown> {
  return {
    id: sum.month,
    month: sum.month,
    opening_balance: toCredits(sum.opening),
    incoming: toCredits(sum.received),
    charges: toCredits(sum.charged),
    closing_balance: toCredits(sum.closing),
  };
}

function shareToWire({ requests, cost }: Share) {
  return { requests, cost: toCredits(cost) };
}

export const receiptEndpoints: readonly Endpoint[] = [
  listReceipts,
  readReceipt,
  listStatements,
  readOneStatement,
];
