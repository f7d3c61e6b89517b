import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { formatCredits, toCredits } from "@trunkline/core/money.ts";
import { localDayAt, startOfLocalDay } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import {
  type EarningSums,
  type EarningsMonth,
  PAYOUT_METHODS,
  type PayoutMethod,
  type ProviderStanding,
} from "../../../ledger/payouts/provider-earnings.ts";
import { listPage, pageQuery, pageResponseSchema, toCsv, wantsCsv } from "../../responses/list-response.ts";
import { payoutResponseSchema, toPayoutResponse } from "../../responses/payout.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";

const earningSumFields = {
  requests: z.int(),
  gross: z.number().describe("What clients paid."),
  fee: z.number().describe("What the service keeps of it."),
  net: z.number().describe("What you get of it."),
};
const modelEarningsSchema = z.object({ model: z.string(), ...earningSumFields });

const destinationSchema = z.object({
  method: z.enum(PAYOUT_METHODS),
  destination: z.string().describe("A bank account's reference, or a wallet's address."),
});

const standingSchema = z.object({
  payable: z.number().describe("Earned, and not requested yet."),
  pending: z.number().describe("Requested, and not paid yet."),
  paid: z.number(),
  fee_percent: z.number().describe("The service's part of what clients pay for your models."),
  minimum_payout: z.number(),
  methods: z.array(z.enum(PAYOUT_METHODS)).describe("The ways in which this service pays."),
  destination: destinationSchema.extend({ changed_at: z.string() }).nullable(),
});

function toSumFields({ requests, gross, net }: EarningSums) {
  return { requests, gross: toCredits(gross), fee: toCredits(gross - net), net: toCredits(net) };
}

/** A fee in millionths as a percentage. */
export function toPercent(feePpm: number): number {
  return feePpm / 10_000;
}

/** In which ways the service can pay. */
function payoutMethods({ token }: Services): PayoutMethod[] {
  return token?.payouts === undefined ? ["bank"] : ["bank", "token"];
}

function toStandingResponse(services: Services, standing: ProviderStanding): z.infer<typeof standingSchema> {
  const { feePpm, minimumCredits } = services.config.payouts;
  const { destination } = standing;
  return {
    payable: toCredits(standing.payable),
    pending: toCredits(standing.pending),
    paid: toCredits(standing.paid),
    fee_percent: toPercent(standing.feePpm ?? feePpm),
    minimum_payout: minimumCredits,
    methods: payoutMethods(services),
    destination:
      destination === undefined
        ? null
        : {
            method: destination.method,
            destination: destination.destination,
            changed_at: destination.changedAt.toISOString(),
          },
  };
}

const readEarnings = controlEndpoint({
  method: "GET",
  path: "/v1/provider/earnings",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "What you are owed, and what your models earned this month",
  description:
    "A charge becomes an earning within about a minute. What you pay for your own models earns nothing; neither do models without a price. `this_month` is a month in the account's time zone.",
  faults: [],
  response: standingSchema.extend({
    this_month: z.object({ ...earningSumFields, models: z.array(modelEarningsSchema) }),
  }),
  async handle({ services, caller }) {
    const standing = await services.ledger.providerEarnings.standing(caller.accountId);
    const now = services.clock.now();
    const today = new Date(localDayAt(now, caller.timeZone));
    const firstDay = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
    const from = new Date(startOfLocalDay(firstDay, caller.timeZone));
    // A minute ahead: earnings are dated by the database's clock.
    const models = await services.ledger.providerEarnings.byModel(caller.accountId, from, new Date(now + 60_000));
    const sum = models.reduce(
      (total, { requests, gross, net }) => ({
        requests: total.requests + requests,
        gross: total.gross + gross,
        net: total.net + net,
      }),
      { requests: 0, gross: 0n, net: 0n },
    );
    return {
      ...toStandingResponse(services, standing),
      this_month: {
        ...toSumFields(sum),
        models: models.map((entry) => ({ model: entry.model, ...toSumFields(entry) })),
      },
    };
  },
});

/** A wallet's address in lower case. Capitals are its checksum (EIP-55), which finds a mistyped one. */
async function readWallet({ token }: Services, text: string): Promise<string> {
  const { isAddress } = await import("viem");
  const address = text.toLowerCase();
  const refuse = (why: string) => {
    throw new Fault("invalid_request", `\`destination\` ${why}`, { param: "destination" });
  };
  if (!/^0x[0-9a-f]{40}$/.test(address)) refuse("must be a wallet's address: 0x and 40 hexadecimal digits.");
  if (text !== address && !isAddress(text)) refuse("has a wrong checksum: a digit or a capital letter is mistyped.");
  // What is sent there is lost, or comes back to the service.
  const unpayable = [`0x${"0".repeat(40)}`, token?.settings.contract, token?.settings.treasury];
  if (unpayable.includes(address)) refuse("must be a wallet of yours.");
  return address;
}

const changeDestination = controlEndpoint({
  method: "PUT",
  path: "/v1/provider/payout-destination",
  permission: "provider.change",
  audit: { action: "payout.destination", details: ({ body }) => ({ ...body }) },
  status: 200,
  tag: "Providers",
  summary: "Set where your earnings are paid to",
  description: "A payout that was requested already keeps the destination it was requested with.",
  faults: [],
  body: z.object({
    method: z.enum(PAYOUT_METHODS),
    destination: storableText(z.string().trim().min(4).max(256)).describe(
      "With `bank`, what the operator needs for a transfer, such as an IBAN and a name; with `token`, a wallet's address.",
    ),
  }),
  response: standingSchema,
  async handle({ services, caller, body }) {
    if (!payoutMethods(services).includes(body.method)) {
      throw new Fault(
        "invalid_request",
        "This service does not pay in this way. `methods` in GET /v1/provider/earnings lists its ways.",
        {
          param: "method",
        },
      );
    }
    const destination = body.method === "token" ? await readWallet(services, body.destination) : body.destination;
    await services.ledger.providerEarnings.setDestination(caller.accountId, body.method, destination);
    return toStandingResponse(services, await services.ledger.providerEarnings.standing(caller.accountId));
  },
});

const requestPayout = controlEndpoint({
  method: "POST",
  path: "/v1/provider/payouts",
  permission: "provider.change",
  audit: { action: "payout.request", details: (_context, result) => ({ amount: result.amount }) },
  status: 201,
  tag: "Providers",
  summary: "Request a payout",
  description:
    "Of `amount`, or of all that you are owed. It is taken from what you are owed at once, and waits for the operator. One payout can be open at a time: a repeated request is 409 and takes nothing.",
  faults: ["conflict"],
  body: z.object({ amount: creditsSchema(0.000000001, 1_000_000_000).optional() }),
  bodyOptional: true,
  response: payoutResponseSchema,
  async handle({ services, caller, body }) {
    const minimum = toNanoCredits(services.config.payouts.minimumCredits);
    const amount = body.amount === undefined ? undefined : toNanoCredits(body.amount);
    const begun = await services.ledger.payouts.begin(caller.accountId, amount, minimum);
    if (begun.outcome === "begun") return toPayoutResponse(begun.payout);
    if (begun.outcome === "no_destination") {
      throw new Fault("conflict", "Say first where to pay to, with PUT /v1/provider/payout-destination.");
    }
    if (begun.outcome === "open") {
      throw new Fault("conflict", "A payout is open already. List yours with GET /v1/provider/payouts.");
    }
    throw new Fault(
      "conflict",
      `You are owed ${formatCredits(begun.payable)}, and a payout is of at least ${formatCredits(minimum)}.`,
      { param: "amount" },
    );
  },
});

const listPayouts = controlEndpoint({
  method: "GET",
  path: "/v1/provider/payouts",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Your payouts, newest first",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(payoutResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(
      query,
      (limit, cursor) => services.ledger.payouts.list({ accountId: caller.accountId }, limit, cursor),
      toPayoutResponse,
    ),
});

const cancelPayout = controlEndpoint({
  method: "DELETE",
  path: "/v1/provider/payouts/:id",
  permission: "provider.change",
  audit: { action: "payout.cancel" },
  status: 200,
  tag: "Providers",
  summary: "Cancel a payout that was not approved yet",
  description: "Its amount is owed to you again.",
  faults: ["not_found", "conflict"],
  response: payoutResponseSchema,
  async handle({ services, caller, params }) {
    const id = params.id ?? "";
    const found = isId(id) ? await services.ledger.payouts.find(id) : undefined;
    if (found === undefined || found.accountId !== caller.accountId) {
      throw new Fault("not_found", "There is no such payout. List yours with GET /v1/provider/payouts.");
    }
    const ended = await services.ledger.payouts.end(id, {
      state: "failed",
      reference: CANCELLED,
      from: ["requested"],
    });
    if (typeof ended === "object" && ended.reference === CANCELLED) return toPayoutResponse(ended);
    const state = typeof ended === "object" ? ended.state : found.state;
    throw new Fault("conflict", `This payout is ${state}: it can't be cancelled any more.`);
  },
});

const CANCELLED = "Cancelled by the provider.";

const statementSummarySchema = z.object({
  month: z.string(),
  opening: z.number().describe("What you were owed at its start, payouts on their way included."),
  ...earningSumFields,
  paid: z.number(),
  closing: z.number().describe("The opening amount, and the net earnings, less what was paid."),
});

function toSummaryResponse(summary: EarningsMonth): z.infer<typeof statementSummarySchema> {
  return {
    month: summary.month,
    opening: toCredits(summary.opening),
    ...toSumFields(summary),
    paid: toCredits(summary.paid),
    closing: toCredits(summary.closing),
  };
}

const listStatements = controlEndpoint({
  method: "GET",
  path: "/v1/provider/statements",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Statements of the months in which you earned or were paid anything, newest first",
  description: "Months are those of the account's time zone. CSV with `Accept: text/csv`.",
  faults: [],
  alternativeContentTypes: ["text/csv"],
  response: z.object({ data: z.array(statementSummarySchema), next_cursor: z.null() }),
  async handle({ services, caller, request }) {
    const months = await services.ledger.providerEarnings.months(caller.accountId, caller.timeZone);
    const data = months.map(toSummaryResponse);
    if (!wantsCsv(request)) return { data, next_cursor: null };
    return new Reply(200, toCsv(Object.keys(statementSummarySchema.shape), data), "text/csv; charset=utf-8");
  },
});

const readStatement = controlEndpoint({
  method: "GET",
  path: "/v1/provider/statements/:month",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "A month's statement of what your models earned",
  description:
    "`month` is YYYY-MM. An earning counts for the moment at which it was booked, so that a month that is over never changes.",
  faults: ["not_found"],
  response: statementSummarySchema.extend({
    time_zone: z.string(),
    by_model: z.array(modelEarningsSchema),
    payouts: z.array(z.object({ id: z.string(), amount: z.number(), reference: z.string(), paid_at: z.string() })),
  }),
  async handle({ services, caller, params }) {
    const month = params.month ?? "";
    const statement = /^2\d{3}-(0[1-9]|1[0-2])$/.test(month)
      ? await services.ledger.providerEarnings.statement(caller.accountId, month, caller.timeZone)
      : undefined;
    if (statement === undefined) {
      throw new Fault("not_found", "There is no statement of that month. List them with GET /v1/provider/statements.");
    }
    return {
      ...toSummaryResponse(statement),
      time_zone: caller.timeZone,
      by_model: statement.byModel.map((entry) => ({ model: entry.model, ...toSumFields(entry) })),
      payouts: statement.payouts.map(({ payoutId, amount, reference, paidAt }) => ({
        id: payoutId,
        amount: toCredits(amount),
        reference,
        paid_at: paidAt.toISOString(),
      })),
    };
  },
});

export const providerEarningEndpoints: readonly Endpoint[] = [
  readEarnings,
  changeDestination,
  requestPayout,
  listPayouts,
  cancelPayout,
  listStatements,
  readStatement,
];
