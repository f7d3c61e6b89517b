import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { OverviewRequest, UsageTotals } from "../../../store/usage/account-overview.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const usageFields = {
  requests: z.number().describe("Answered ones."),
  errors: z.number(),
  cost: z.number(),
};

const overviewRequestSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  model: z.string().nullable().describe("provider/name"),
  cost: z.number(),
  status: z.number(),
});

const readOverview = controlEndpoint({
  method: "GET",
  path: "/v1/overview",
  permission: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "How the account stands, in short",
  description:
    "Balance, usage of today, of this month and of the last 30 days, and the first steps. Days and months are those of the account's time zone. Cheap enough to be asked every few seconds.",
  faults: [],
  response: z.object({
    balance: z.number(),
    low_balance: z.boolean().describe("Below the account's mark, or nothing is left."),
    time_zone: z.string(),
    today: z.object(usageFields),
    yesterday: z.object(usageFields).describe("Up to the same moment of the day as now."),
    month: z.object(usageFields),
    days: z.array(z.object({ day: z.string(), ...usageFields })).describe("The last 30, today last."),
    last_request: overviewRequestSchema.nullable(),
    first_request: overviewRequestSchema
      .nullable()
      .describe("The first that was answered to a key, not to a member at the dashboard."),
    steps: z
      .object({
        key: z.boolean().describe("There is a key, or a revoked one was used."),
        funded: z.boolean().describe("Credits were put on the balance."),
        request: z.boolean().describe("A request of a key was answered."),
      })
      .describe("Which of the first steps are done."),
  }),
  async handle({ services, caller }) {
    const stand = await services.accountOverviews.read(
      caller.accountId,
      caller.timeZone,
      services.clock.now(),
    );
    const mark = stand.lowBalance ?? 0n;
    return {
      balance: toCredits(stand.balance),
      low_balance: stand.balance <= 0n || stand.balance < mark,
      time_zone: caller.timeZone,
      today: toUsageTotals(stand.today),
      yesterday: toUsageTotals(stand.yesterday),
      month: toUsageTotals(stand.month),
      days: stand.days.map((row) => ({ day: row.day, ...toUsageTotals(row) })),
      last_request: toOverviewRequest(stand.lastRequest),
      first_request: toOverviewRequest(stand.firstRequest),
      steps: { key: stand.hasKey, funded: stand.wasFunded, request: stand.firstRequest !== undefined },
    };
  },
});

function toUsageTotals({ requests, errors, cost }: UsageTotals) {
  return { requests: Number(requests), errors: Number(errors), cost: toCredits(cost) };
}

function toOverviewRequest(request: OverviewRequest | undefined) {
  if (request === undefined) return null;
  return {
    id: request.id,
    created_at: request.created_at.toISOString(),
    model: request.model === null ? null : `${request.provider}/${request.model}`,
    cost: toCredits(request.cost),
    status: request.status,
  };
}

export const overviewEndpoints: readonly Endpoint[] = [readOverview];
