import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { INCOMING_KINDS, OUTGOING_KINDS } from "@trunkline/core/ledger-kinds.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { NO_BILLING_DETAILS } from "../../../ledger/billing/billing-details.ts";
import { listMonths, type MonthSummary, readStatement } from "../../../ledger/billing/statements.ts";
import { type CostShare, type CreditMovement, receiptsAmong } from "../../../ledger/billing/statements-reader.ts";
import { invalidCursorFault, pageQuery, pageResponseSchema, toPage } from "../../responses/list-response.ts";
import { writeStatementPdf } from "../../responses/statement-pdf.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { billingDetailsResponseSchema, toBillingDetailsResponse } from "./billing.ts";
import { describeMovement } from "./transactions.ts";

const receiptResponseSchema = z.object({
  id: z.string(),
  number: z.string().describe("Consecutive for each account and year."),
  kind: z.enum([...INCOMING_KINDS, ...OUTGOING_KINDS]),
  date: z.string().describe("The day in the account's time zone."),
  created_at: z.string(),
  description: z.string(),
  amount: z.number(),
});

/** The issuer and recipient of a receipt or statement, as they are now. */
const partiesSchema = z.object({
  issuer: z.object({ name: z.string(), url: z.string().nullable() }),
  recipient: billingDetailsResponseSchema.extend({
    name: z.string().describe("The organisation's own name."),
  }),
});

const listReceipts = controlEndpoint({
  method: "GET",
  path: "/v1/receipts",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Receipts for everything that came in, newest first",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(receiptResponseSchema),
  async handle({ services, caller, query: { limit, cursor } }) {
    const incomingCredits = await services.ledger.statementsReader.open(caller, async (snapshot) =>
      receiptsAmong(await snapshot.movements()),
    );
    const place =
      cursor === undefined ? incomingCredits.length : incomingCredits.findIndex(({ number }) => number === cursor);
    if (place === -1) throw invalidCursorFault();
    const rest = incomingCredits.slice(0, place).toReversed();
    return toPage(rest, limit, toReceiptResponse, ({ number }) => number);
  },
});

const readReceipt = controlEndpoint({
  method: "GET",
  path: "/v1/receipts/:id",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "A receipt",
  faults: ["not_found"],
  response: receiptResponseSchema.extend(partiesSchema.shape),
  async handle({ services, caller, params }) {
    const incomingCredits = await services.ledger.statementsReader.open(caller, async (snapshot) =>
      receiptsAmong(await snapshot.movements()),
    );
    const found = incomingCredits.find(({ number }) => number === params.id);
    if (found === undefined)
      throw new Fault("not_found", "There is no such receipt. List yours with GET /v1/receipts.");
    return { ...toReceiptResponse(found), ...(await findParties(services, caller)) };
  },
});

const statementSummarySchema = z.object({
  id: z.string(),
  month: z.string(),
  opening_balance: z.number(),
  incoming: z.number(),
  refunds: z.number().describe("What was taken back by refunds and disputes."),
  charges: z.number(),
  closing_balance: z
    .number()
    .describe("The opening balance, and what came in, less refunds and charges. Below zero: what the account owes."),
});

const costShareSchema = z.object({ requests: z.number(), cost: z.number() });

const listStatements = controlEndpoint({
  method: "GET",
  path: "/v1/statements",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Statements of the months in which anything happened, newest first",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(statementSummarySchema),
  async handle({ services, caller, query: { limit, cursor } }) {
    if (cursor !== undefined && !MONTH_PATTERN.test(cursor)) throw invalidCursorFault();
    const months = await services.ledger.statementsReader.open(caller, listMonths);
    const rest = cursor === undefined ? months : months.filter(({ month }) => month < cursor);
    return toPage(rest, limit, toStatementSummary, ({ month }) => month);
  },
});

const readStatementEndpoint = controlEndpoint({
  method: "GET",
  path: "/v1/statements/:month",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "A month's statement",
  description: "`month` is YYYY-MM, in the account's time zone. A month that is not over yet is told as it stands.",
  faults: ["not_found"],
  response: statementSummarySchema.extend({
    from: z.string(),
    to: z.string().describe("The first moment after the month."),
    time_zone: z.string(),
    complete: z.boolean().describe("Whether the month is over."),
    receipts: z.array(receiptResponseSchema),
    taken_back: z.array(receiptResponseSchema).describe("Refunds and disputes; their amounts are below zero."),
    by_model: z.array(costShareSchema.extend({ model: z.string() })),
    by_key: z.array(costShareSchema.extend({ key_id: z.string(), key_name: z.string().nullable() })),
    ...partiesSchema.shape,
  }),
  handle: ({ services, caller, params }) => findStatement(services, caller, params.month ?? ""),
});

const readStatementPdf = controlEndpoint({
  method: "GET",
  path: "/v1/statements/:month/pdf",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "A month's statement as a PDF",
  description:
    "With the figures of `GET /v1/statements/{month}`. Chinese and Japanese names are written in a font that PDF readers bring along; the file does not embed it.",
  faults: ["not_found"],
  alternativeContentTypes: ["application/pdf"],
  response: z.string().describe("The file."),
  async handle({ services, caller, params }) {
    const statement = await findStatement(services, caller, params.month ?? "");
    const file = await writeStatementPdf(statement);
    const name = `trunkline-statement-${statement.month}.pdf`;
    return new Reply(200, file, "application/pdf", { "content-disposition": `attachment; filename="${name}"` });
  },
});

async function findStatement(services: Services, caller: Caller, month: string) {
  const statement = MONTH_PATTERN.test(month)
    ? await services.ledger.statementsReader.open(caller, (snapshot) => readStatement(snapshot, month, caller.timeZone))
    : undefined;
  if (statement === undefined) {
    throw new Fault("not_found", "There is no statement of that month. List them with GET /v1/statements.");
  }
  const { span, byModel, byKey, incoming, outgoing } = statement;
  return {
    ...toStatementSummary(statement),
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    time_zone: caller.timeZone,
    complete: span.to.getTime() <= services.clock.now(),
    receipts: incoming.map(toReceiptResponse),
    taken_back: outgoing.map(toReceiptResponse),
    by_model: byModel.map((costShare) => ({ model: costShare.id, ...toCostShare(costShare) })),
    by_key: byKey.map((costShare) => ({
      key_id: costShare.id,
      key_name: costShare.name ?? null,
      ...toCostShare(costShare),
    })),
    ...(await findParties(services, caller)),
  };
}

/** There are no statements before the year 2000. */
const MONTH_PATTERN = /^2\d{3}-(0[1-9]|1[0-2])$/;

async function findParties(services: Services, { accountId }: Caller): Promise<z.infer<typeof partiesSchema>> {
  const account = await services.identity.accounts.find(accountId);
  const details = (await services.ledger.billingDetails.find(accountId)) ?? NO_BILLING_DETAILS;
  return {
    issuer: { name: "Trunkline", url: services.config.publicUrl ?? null },
    recipient: { name: account?.name ?? "", ...toBillingDetailsResponse(details) },
  };
}

function toReceiptResponse(movement: CreditMovement): z.infer<typeof receiptResponseSchema> {
  return {
    id: movement.number,
    number: movement.number,
    kind: movement.kind,
    date: movement.day,
    created_at: movement.createdAt.toISOString(),
    description: describeMovement(movement),
    amount: toCredits(movement.amount),
  };
}

function toStatementSummary(summary: MonthSummary): z.infer<typeof statementSummarySchema> {
  return {
    id: summary.month,
    month: summary.month,
    opening_balance: toCredits(summary.opening),
    incoming: toCredits(summary.received),
    refunds: toCredits(summary.refunded),
    charges: toCredits(summary.charged),
    closing_balance: toCredits(summary.closing),
  };
}

function toCostShare({ requests, cost }: CostShare) {
  return { requests, cost: toCredits(cost) };
}

export const receiptEndpoints: readonly Endpoint[] = [
  listReceipts,
  readReceipt,
  listStatements,
  readStatementEndpoint,
  readStatementPdf,
];
