import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import { ACCOUNT_BUDGET_PERIODS, type Budget, type Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const budgetFields = {
  limit: creditsSchema(0, 1_000_000_000).describe("Credits that all keys and members together may spend in a period."),
  period: z.enum(ACCOUNT_BUDGET_PERIODS).describe("Periods begin in the account's time zone; weeks on Monday."),
};

const budgetResponseSchema = z.object({
  budget: z.object(budgetFields).nullable().describe("null: the account spends as much as its balance has."),
  spent: z.number().nullable().describe("In the running period."),
  left: z.number().nullable().describe("What can still be spent in it; 0 where more was spent than the limit is now."),
  period_start: z.string().nullable(),
  period_end: z.string().nullable(),
});

const readBudget = controlEndpoint({
  method: "GET",
  path: "/v1/billing/budget",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "What the account may spend in a period, and what is left of it",
  faults: [],
  response: budgetResponseSchema,
  handle: ({ services, caller }) => readAccountBudget(services, caller),
});

const setBudget = controlEndpoint({
  method: "PUT",
  path: "/v1/billing/budget",
  permission: "billing.change",
  audit: { action: "billing.budget", details: ({ body }) => body },
  status: 200,
  tag: "Billing",
  summary: "Set what the account may spend in a period",
  description:
    "Holds for all keys and members together, beside the budgets of single keys, on every instance within a second. A request that could cost more than is left gets 402 `budget_exceeded`. Alerts are sent at the thresholds of `GET /v1/billing/alerts`. A key with limits of its own can't set it.",
  faults: [],
  body: z.object(budgetFields),
  response: budgetResponseSchema,
  handle: ({ services, caller, body }) =>
    changeBudget(services, caller, { limit: toNanoCredits(body.limit), period: body.period }),
});

const removeBudget = controlEndpoint({
  method: "DELETE",
  path: "/v1/billing/budget",
  permission: "billing.change",
  audit: { action: "billing.budget_remove" },
  status: 200,
  tag: "Billing",
  summary: "Remove the account's budget",
  faults: [],
  response: budgetResponseSchema,
  handle: ({ services, caller }) => changeBudget(services, caller, undefined),
});

async function changeBudget(services: Services, caller: Caller, budget: Budget | undefined) {
  // Otherwise a key could lift a limit that holds for itself.
  if (caller.person === undefined && caller.budget !== undefined)
    throw new Fault(
      "insufficient_scope",
      "Your key has a budget of its own, so it can't change the organisation's. Use a key without one, or the dashboard.",
    );
  await services.identity.accounts.setBudget(caller.accountId, budget);
  services.identity.keyring.invalidate();
  services.notify.alertMonitor.onAccountChange(caller.accountId);
  return readAccountBudget(services, caller);
}

async function readAccountBudget(services: Services, { accountId }: Caller) {
  const account = await services.identity.accounts.find(accountId);
  if (account === undefined) throw new Error("A key belongs to no account.");
  const { budget, timeZone } = account;
  if (budget === undefined) return { budget: null, spent: null, left: null, period_start: null, period_end: null };
  const now = services.clock.now();
  const startsAt = startOfPeriod(budget.period, now, timeZone);
  const endsAt = endOfPeriod(budget.period, now, timeZone);
  const { total } = await services.ledger.store.readPool({ kind: "account-budget", accountId, startsAt, ...budget });
  return {
    budget: { limit: toCredits(budget.limit), period: budget.period },
    spent: toCredits(budget.limit - total),
    left: toCredits(total > 0n ? total : 0n),
    period_start: startsAt === undefined ? null : new Date(startsAt).toISOString(),
    period_end: endsAt === undefined ? null : new Date(endsAt).toISOString(),
  };
}

export const accountBudgetEndpoints: readonly Endpoint[] = [readBudget, setBudget, removeBudget];
