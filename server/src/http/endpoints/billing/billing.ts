import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { NO_BILLING_DETAILS } from "../../../ledger/billing/billing-details.ts";
import { spendingOf } from "../../../ledger/billing/spending.ts";
import { TOP_UP_METHODS } from "../../../ledger/billing/top-up-methods.ts";
import { alertMarks, settingsChangeOf, settingsToWire } from "../account/settings.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { detailsChangeOf, detailsPatch, detailsShown, detailsToWire } from "./billing-details.ts";

const readSummary = control({
  method: "GET",
  path: "/v1/billing/summary",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "The balance, what was spent, and how long it will last",
  description: "Months are those of the account's time zone.",
  faults: [],
  answer: z.object({
    balance: z.number(),
    held: z.number().describe("Set aside for requests now running."),
    available: z.number(),
    currency: z.literal("credits"),
    this_month: z.object({ month: z.string(), spent: z.number() }),
    last_month: z.object({
      month: z.string(),
      spent: z.number(),
      spent_by_now: z
        .number()
        .describe("As much of it as was spent when that month was as old as this one is now."),
    }),
    last_7_days: z.object({ spent: z.number() }),
    runway_days: z
      .number()
      .nullable()
      .describe("How many days the balance lasts at the pace of the last 7; null where nothing was spent."),
  }),
  async handle({ house, caller }) {
    const now = house.clock.now();
    const spending = await house.books.open(caller, (page) => spendingOf(page, now, caller.timeZone));
    const held = house.funds.heldOf(caller.accountId);
    return {
      balance: toCredits(spending.balance),
      held: toCredits(held),
      available: toCredits(spending.balance - held),
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

const readMethods = control({
  method: "GET",
  path: "/v1/billing/methods",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Ways to add credits",
  faults: [],
  answer: z.object({
    data: z.array(
      z.object({
        kind: z.enum(["code", "card", "token"]),
        available: z.boolean(),
        reason: z.string().nullable().describe("Why it is not offered."),
      }),
    ),
    next_cursor: z.null(),
  }),
  handle: async () => ({
    data: TOP_UP_METHODS.map(({ reason, ...method }) => ({ ...method, reason: reason ?? null })),
    next_cursor: null,
  }),
});

const readDetails = control({
  method: "GET",
  path: "/v1/billing/details",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Whom receipts are made out to",
  faults: [],
  answer: detailsShown,
  handle: async ({ house, caller }) =>
    detailsToWire((await house.billingDetails.find(caller.accountId)) ?? NO_BILLING_DETAILS),
});

const changeDetails = control({
  method: "PATCH",
  path: "/v1/billing/details",
  power: "billing.change",
  deed: { action: "billing.details" },
  status: 200,
  tag: "Billing",
  summary: "Change whom receipts are made out to",
  description:
    "What is not given stays; null takes a detail away. Receipts show the details as they are now.",
  faults: [],
  body: detailsPatch,
  answer: detailsShown,
  handle: async ({ house, caller, body }) =>
    detailsToWire(await house.billingDetails.change(caller.accountId, detailsChangeOf(body))),
});

const readAlerts = control({
  method: "GET",
  path: "/v1/billing/alerts",
  power: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "When the account is told of its balance and budgets",
  description: "The same as `alerts` in `GET /v1/settings`.",
  faults: [],
  answer: alertMarks,
  handle: ({ house, caller }) => showAlerts(house, caller.accountId),
});

const changeAlerts = control({
  method: "PATCH",
  path: "/v1/billing/alerts",
  power: "billing.change",
  deed: { action: "billing.alerts", details: ({ body }) => body },
  status: 200,
  tag: "Billing",
  summary: "Change when the account is told of its balance and budgets",
  description: "What is not given stays.",
  faults: [],
  body: alertMarks.partial(),
  answer: alertMarks,
  async handle({ house, caller, body }) {
    await house.accounts.change(caller.accountId, settingsChangeOf({ alerts: body }));
    house.lookout.noticeAccount(caller.accountId);
    return showAlerts(house, caller.accountId);
  },
});

async function showAlerts(house: House, accountId: string) {
  const account = await house.accounts.find(accountId);
  if (account === undefined) throw new Error("A key belongs to no account.");
  return settingsToWire(account, 0n).alerts;
}

export const billingEndpoints: readonly Endpoint[] = [
  readSummary,
  readMethods,
  readDetails,
  changeDetails,
  readAlerts,
  changeAlerts,
];
