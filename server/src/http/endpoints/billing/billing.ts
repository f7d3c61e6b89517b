import { lineSchema } from "@trunkline/core/field-schemas.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { type BillingDetails, NO_BILLING_DETAILS } from "../../../ledger/billing/billing-details.ts";
import { readSpending } from "../../../ledger/billing/statements.ts";
import { alertSettingsSchema, toAccountChange, toAccountSettingsResponse } from "../account/account.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const billingDetailsFields = {
  company: lineSchema(128).nullable().describe("Whom receipts are made out to; null: the organisation's own name."),
  address: z.array(lineSchema(128)).max(6).describe("Lines of the postal address."),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters by ISO 3166, for example DE")
    .nullable(),
  tax_id: lineSchema(64).nullable().describe("Such as a VAT number."),
  email: z
    .email("must be an e-mail address")
    .max(254)
    .nullable()
    .describe("Who is asked about receipts; shown on them."),
};

export const billingDetailsResponseSchema = z.object(billingDetailsFields);
const updateBillingDetailsSchema = z.object(billingDetailsFields).partial();

function toBillingDetailsChange(body: z.infer<typeof updateBillingDetailsSchema>): Partial<BillingDetails> {
  return {
    ...(body.company === undefined ? {} : { company: body.company ?? undefined }),
    ...(body.address === undefined ? {} : { address: body.address }),
    ...(body.country === undefined ? {} : { country: body.country ?? undefined }),
    ...(body.tax_id === undefined ? {} : { taxId: body.tax_id ?? undefined }),
    ...(body.email === undefined ? {} : { email: body.email ?? undefined }),
  };
}

export function toBillingDetailsResponse(details: BillingDetails): z.infer<typeof billingDetailsResponseSchema> {
  return {
    company: details.company ?? null,
    address: [...details.address],
    country: details.country ?? null,
    tax_id: details.taxId ?? null,
    email: details.email ?? null,
  };
}

const readSummary = controlEndpoint({
  method: "GET",
  path: "/v1/billing/summary",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "The balance, what was spent, and how long it will last",
  description: "Months are those of the account's time zone.",
  faults: [],
  response: z.object({
    balance: z.number(),
    held: z.number().describe("Set aside for requests now running."),
    available: z.number(),
    debt: z.number().describe("What is owed after refunds and disputes that the balance did not cover."),
    currency: z.literal("credits"),
    this_month: z.object({ month: z.string(), spent: z.number() }),
    last_month: z.object({
      month: z.string(),
      spent: z.number(),
      spent_by_now: z.number().describe("As much of it as was spent when that month was as old as this one is now."),
    }),
    last_7_days: z.object({ spent: z.number() }),
    runway_days: z
      .number()
      .nullable()
      .describe("How many days the balance lasts at the pace of the last 7; null where nothing was spent."),
  }),
  async handle({ services, caller }) {
    const now = services.clock.now();
    const spending = await services.ledger.statementsReader.open(caller, (page) =>
      readSpending(page, now, caller.timeZone),
    );
    const held = services.ledger.funds.heldOf(caller.accountId);
    return {
      balance: toCredits(spending.balance),
      held: toCredits(held),
      available: toCredits(spending.balance - held),
      debt: toCredits(await services.ledger.store.readDebt(caller.accountId)),
      currency: "credits",
      this_month: { month: spending.thisMonth.month, spent: toCredits(spending.thisMonth.spent) },
      last_month: {
        month: spending.lastMonth.month,
        spent: toCredits(spending.lastMonth.spent),
        spent_by_now: toCredits(spending.lastMonth.spentByNow),
      },
      last_7_days: { spent: toCredits(spending.lastWeek) },
      runway_days: spending.runwayDays ?? null,
    };
  },
});

const paymentMethodSchema = z.object({
  kind: z.enum(["code", "card", "token"]),
  available: z.boolean(),
  reason: z.string().nullable().describe("Why it is not offered."),
  currency: z.string().nullable().describe("What a card is charged in; a credit costs one unit of it."),
  smallest: z.number().nullable().describe("The fewest credits that can be bought at once; null: any."),
  largest: z.number().nullable(),
});

type PaymentMethod = z.infer<typeof paymentMethodSchema>;

/** All ways to add credits, in the order of the dashboard. */
function paymentMethods({ card, token }: Services): PaymentMethod[] {
  const offered = { available: true, reason: null, currency: null, smallest: null, largest: null };
  const absent = { ...offered, available: false };
  const terms = card?.payments.terms;
  return [
    terms === undefined
      ? { kind: "card", ...absent, reason: "This service does not take cards." }
      : {
          kind: "card",
          ...offered,
          currency: terms.currency,
          smallest: toCredits(terms.smallest),
          largest: toCredits(terms.largest),
        },
    token === undefined
      ? { kind: "token", ...absent, reason: "This service does not take tokens." }
      : { kind: "token", ...offered },
    { kind: "code", ...offered },
  ];
}

const listPaymentMethods = controlEndpoint({
  method: "GET",
  path: "/v1/billing/methods",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Ways to add credits",
  faults: [],
  response: z.object({ data: z.array(paymentMethodSchema), next_cursor: z.null() }),
  handle: async ({ services }) => ({ data: paymentMethods(services), next_cursor: null }),
});

const readDetails = controlEndpoint({
  method: "GET",
  path: "/v1/billing/details",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Whom receipts are made out to",
  faults: [],
  response: billingDetailsResponseSchema,
  handle: async ({ services, caller }) =>
    toBillingDetailsResponse((await services.ledger.billingDetails.find(caller.accountId)) ?? NO_BILLING_DETAILS),
});

const changeDetails = controlEndpoint({
  method: "PATCH",
  path: "/v1/billing/details",
  permission: "billing.change",
  audit: { action: "billing.details" },
  status: 200,
  tag: "Billing",
  summary: "Change whom receipts are made out to",
  description: "What is not given stays; null takes a detail away. Receipts show the details as they are now.",
  faults: [],
  body: updateBillingDetailsSchema,
  response: billingDetailsResponseSchema,
  handle: async ({ services, caller, body }) =>
    toBillingDetailsResponse(
      await services.ledger.billingDetails.change(caller.accountId, toBillingDetailsChange(body)),
    ),
});

const readAlerts = controlEndpoint({
  method: "GET",
  path: "/v1/billing/alerts",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "When the account is told of its balance and budgets",
  description: "The same as `alerts` in `GET /v1/settings`.",
  faults: [],
  response: alertSettingsSchema,
  handle: ({ services, caller }) => alertSettings(services, caller.accountId),
});

const changeAlerts = controlEndpoint({
  method: "PATCH",
  path: "/v1/billing/alerts",
  permission: "billing.change",
  audit: { action: "billing.alerts", details: ({ body }) => body },
  status: 200,
  tag: "Billing",
  summary: "Change when the account is told of its balance and budgets",
  description: "What is not given stays.",
  faults: [],
  body: alertSettingsSchema.partial(),
  response: alertSettingsSchema,
  async handle({ services, caller, body }) {
    await services.identity.accounts.change(caller.accountId, toAccountChange({ alerts: body }));
    services.notify.alertMonitor.onAccountChange(caller.accountId);
    return alertSettings(services, caller.accountId);
  },
});

async function alertSettings(services: Services, accountId: string) {
  const account = await services.identity.accounts.find(accountId);
  if (account === undefined) throw new Error("A key belongs to no account.");
  return toAccountSettingsResponse(account, undefined, 0n).alerts;
}

export const billingEndpoints: readonly Endpoint[] = [
  readSummary,
  listPaymentMethods,
  readDetails,
  changeDetails,
  readAlerts,
  changeAlerts,
];
