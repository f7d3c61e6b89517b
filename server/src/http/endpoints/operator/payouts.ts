import { Fault } from "@trunkline/core/fault.ts";
import { storableText } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { scaleDecimal, toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { PAYOUT_STATES, type Payout } from "../../../ledger/payouts/payouts.ts";
import { PAYOUT_METHODS, type ProviderStanding } from "../../../ledger/payouts/provider-earnings.ts";
import { listPage, pageQuery, pageResponseSchema, toCsv, wantsCsv } from "../../responses/list-response.ts";
import { operatorPayoutResponseSchema, toOperatorPayoutResponse } from "../../responses/payout.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { toPercent } from "../provider/earnings.ts";

/** The most rows of an export. */
const EXPORT_ROWS_MAX = 100_000;
/** A fee of a percent is ten thousand millionths. */
const PERCENT_DECIMALS = 4;

const CSV_COLUMNS = [
  "id",
  "account",
  "account_id",
  "amount",
  "method",
  "destination",
  "state",
  "reference",
  "created_at",
];

const listPayouts = controlEndpoint({
  method: "GET",
  path: "/v1/admin/payouts",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Payouts of all providers, newest first",
  description:
    "CSV with `Accept: text/csv`, all at once: with `state=approved`, the list of what is to be paid. What a bank has paid is marked with POST /v1/admin/payouts/{id}/paid.",
  faults: [],
  query: pageQuery.extend({ state: z.enum(PAYOUT_STATES).optional() }),
  alternativeContentTypes: ["text/csv"],
  response: pageResponseSchema(operatorPayoutResponseSchema),
  async handle({ services, query, request }) {
    const filter = { state: query.state };
    if (!wantsCsv(request)) {
      return listPage(
        query,
        (limit, cursor) => services.ledger.payouts.list(filter, limit, cursor),
        toOperatorPayoutResponse,
      );
    }
    const payouts = await services.ledger.payouts.list(filter, EXPORT_ROWS_MAX, undefined);
    const rows = payouts.map((payout) => {
      const { id, account, account_id, amount, method, destination, state, reference, created_at } =
        toOperatorPayoutResponse(payout);
      return { id, account, account_id, amount, method, destination, state, reference: reference ?? "", created_at };
    });
    return new Reply(200, toCsv(CSV_COLUMNS, rows), "text/csv; charset=utf-8");
  },
});

const approvePayout = controlEndpoint({
  method: "POST",
  path: "/v1/admin/payouts/:id/approve",
  permission: "operator.change",
  audit: { action: "payout.approve", details: (_context, result) => factsOf(result) },
  status: 200,
  tag: "Operator",
  summary: "Approve a payout",
  description:
    "One to a bank then waits until it is marked as paid; one in the token is sent by the service itself. To approve it again changes nothing.",
  faults: ["not_found", "conflict"],
  response: operatorPayoutResponseSchema,
  async handle({ services, params }) {
    const payout = await requirePayout(params.id, (id) => services.ledger.payouts.approve(id));
    if (payout.state === "failed")
      throw new Fault("conflict", "This payout has failed. It can't be approved any more.");
    return toOperatorPayoutResponse(payout);
  },
});

const markPaid = controlEndpoint({
  method: "POST",
  path: "/v1/admin/payouts/:id/paid",
  permission: "operator.change",
  audit: { action: "payout.paid", details: (_context, result) => factsOf(result) },
  status: 200,
  tag: "Operator",
  summary: "Mark a payout as paid by a bank",
  description: "`reference` is the bank's, and of one payout alone. To send the same again changes nothing.",
  faults: ["not_found", "conflict"],
  body: z.object({ reference: storableText(z.string().trim().min(1).max(128)) }),
  response: operatorPayoutResponseSchema,
  async handle({ services, params, body: { reference } }) {
    const payout = await requirePayout(params.id, async (id) => {
      const found = await services.ledger.payouts.find(id);
      if (found?.method === "token") {
        throw new Fault("conflict", "The service pays this payout in the token itself. It can't be marked as paid.");
      }
      const ended = await services.ledger.payouts.end(id, { state: "sent", reference, from: ["approved"] });
      if (ended === "reference_taken") {
        throw new Fault("conflict", "Another payout was paid under this reference.", { param: "reference" });
      }
      return ended;
    });
    if (payout.state === "sent" && payout.reference === reference) return toOperatorPayoutResponse(payout);
    if (payout.state === "sent") throw new Fault("conflict", `This payout was paid under ${payout.reference}.`);
    throw new Fault("conflict", `This payout is ${payout.state}. Only an approved one can be marked as paid.`);
  },
});

const failPayout = controlEndpoint({
  method: "POST",
  path: "/v1/admin/payouts/:id/fail",
  permission: "operator.change",
  audit: { action: "payout.fail", details: (_context, result) => factsOf(result) },
  status: 200,
  tag: "Operator",
  summary: "Refuse a payout, or say that it could not be paid",
  description: "Its amount is owed to the provider again. One that is being sent in the token can't be stopped.",
  faults: ["not_found", "conflict"],
  body: z.object({ reason: storableText(z.string().trim().min(1).max(256)) }),
  response: operatorPayoutResponseSchema,
  async handle({ services, params, body: { reason } }) {
    const payout = await requirePayout(params.id, (id) =>
      services.ledger.payouts.end(id, { state: "failed", reference: reason, from: ["requested", "approved"] }),
    );
    if (payout.state === "failed") return toOperatorPayoutResponse(payout);
    throw new Fault("conflict", `This payout is ${payout.state}: it can't be refused any more.`);
  },
});

async function requirePayout(
  id: string | undefined,
  act: (id: string) => Promise<Payout | undefined | "reference_taken">,
): Promise<Payout> {
  const payout = id !== undefined && isId(id) ? await act(id) : undefined;
  if (payout === undefined || payout === "reference_taken") {
    throw new Fault("not_found", "There is no such payout. List them with GET /v1/admin/payouts.");
  }
  return payout;
}

function factsOf({ amount, account_id, reference }: z.infer<typeof operatorPayoutResponseSchema>) {
  return { amount, account_id, reference };
}

const providerStandingSchema = z.object({
  id: z.string().describe("The account's id."),
  name: z.string(),
  provider: z.string(),
  payable: z.number(),
  pending: z.number(),
  paid: z.number(),
  fee_percent: z.number(),
  fee_agreed: z.boolean().describe("False: the service's usual fee."),
  method: z.enum(PAYOUT_METHODS).nullable(),
});

function toProviderStandingResponse(
  services: Services,
  standing: ProviderStanding,
): z.infer<typeof providerStandingSchema> {
  return {
    id: standing.accountId,
    name: standing.name,
    provider: standing.provider,
    payable: toCredits(standing.payable),
    pending: toCredits(standing.pending),
    paid: toCredits(standing.paid),
    fee_percent: toPercent(standing.feePpm ?? services.config.payouts.feePpm),
    fee_agreed: standing.feePpm !== undefined,
    method: standing.destination?.method ?? null,
  };
}

const listProviderEarnings = controlEndpoint({
  method: "GET",
  path: "/v1/admin/providers/earnings",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "What each provider is owed and was paid, and its fee",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(providerStandingSchema),
  handle: ({ services, query }) =>
    listPage(
      query,
      async (limit, cursor) =>
        (await services.ledger.providerEarnings.list(limit, cursor)).map((standing) =>
          toProviderStandingResponse(services, standing),
        ),
      (standing) => standing,
    ),
});

const changeProviderFee = controlEndpoint({
  method: "PUT",
  path: "/v1/admin/providers/:id/fee",
  permission: "operator.change",
  audit: { action: "provider.fee", accountOf: ({ params }) => params.id, details: ({ body }) => ({ ...body }) },
  status: 200,
  tag: "Operator",
  summary: "Agree on a fee with one provider",
  description: "It holds for charges that are booked from now on. null: the service's usual fee again.",
  faults: ["not_found"],
  body: z.object({
    fee_percent: z
      .number()
      .min(0)
      .max(100)
      .refine((value) => scaleDecimal(value, PERCENT_DECIMALS) !== undefined, "may have at most 4 decimals")
      .nullable(),
  }),
  response: providerStandingSchema,
  async handle({ services, params, body: { fee_percent: percent } }) {
    const id = params.id ?? "";
    const account = isId(id) ? await services.identity.accounts.find(id) : undefined;
    if (account === undefined) {
      throw new Fault("not_found", "There is no such account. List them with GET /v1/admin/accounts.");
    }
    const feePpm = percent === null ? undefined : Number(scaleDecimal(percent, PERCENT_DECIMALS) ?? 0n);
    await services.ledger.providerEarnings.setFee(id, feePpm);
    return toProviderStandingResponse(services, await services.ledger.providerEarnings.standing(id));
  },
});

export const operatorPayoutEndpoints: readonly Endpoint[] = [
  listPayouts,
  approvePayout,
  markPaid,
  failPayout,
  listProviderEarnings,
  changeProviderFee,
];
