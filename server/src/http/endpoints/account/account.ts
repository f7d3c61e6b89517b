import type { Caller } from "@trunkline/core/caller.ts";
import { dataRulesResponseSchema, dataRulesSchema, toDataRules, toDataRulesJson } from "@trunkline/core/data-rules.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { scaleDecimal, toCredits } from "@trunkline/core/money.ts";
import { isTimeZone } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { Account, AccountChange } from "../../../identity/organisations/organisations.ts";
import type { OverviewRequest, UsageTotals } from "../../../store/usage/account-overview.ts";
import { originsSchema } from "../../responses/api-key.ts";
import { listModelsFor } from "../../responses/model-offer.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

/** A fraction of a budget, exact to the millionth. */
const budgetThresholdSchema = z
  .number()
  .gt(0)
  .max(1)
  .refine((value) => scaleDecimal(value, 6) !== undefined, "may have at most 6 decimals");

/** When an account wants alerts. */
export const alertSettingsSchema = z.object({
  low_balance: creditsSchema(0.000000001, 1_000_000_000)
    .nullable()
    .describe("`balance.low` is sent when the balance falls below this many credits; null: never."),
  budget_thresholds: z
    .array(budgetThresholdSchema)
    .max(10)
    .refine((values) => new Set(values).size === values.length, "must not name a threshold twice")
    .describe("`budget.threshold` is sent when a key or the account has used these parts of its budget."),
  email: z
    .boolean()
    .describe(
      "Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any.",
    ),
});

const accountSettingsFields = {
  store_content: z.boolean().describe("Keep prompts and outputs in the request records."),
  third_party_models: z
    .boolean()
    .describe(
      "Whether a model's name without its provider may stand for a model that another account than the operator's registered.",
    ),
  origins: originsSchema
    .nullable()
    .describe(
      "The sites whose pages may use the account's keys of the scopes `inference` and `read`; null: any. A key's own list goes before it.",
    ),
  time_zone: z
    .string()
    .refine(isTimeZone, "must be an IANA zone, for example Europe/Berlin")
    .describe("The IANA zone in which the account's days, weeks and months begin."),
};

const accountSettingsResponseSchema = z.object({
  ...accountSettingsFields,
  data_rules: dataRulesResponseSchema.describe("Which models may serve, by what is claimed of their data."),
  alerts: alertSettingsSchema,
  requests_per_minute: z
    .int()
    .nullable()
    .describe(
      "What all keys of the account may send a minute together. Only the operator changes it. null: any number.",
    ),
  status: z
    .enum(["active", "suspended"])
    .describe("Suspended: no credits are left, so nothing that costs is answered."),
});

const updateAccountSettingsSchema = z
  .object({
    ...accountSettingsFields,
    data_rules: dataRulesSchema.describe(
      "What may become of the data of the account's requests. Keys and requests can only narrow it. Given as a whole.",
    ),
    alerts: alertSettingsSchema.partial(),
  })
  .partial();

/** The given settings; missing ones stay as they are. */
export function toAccountChange(body: z.infer<typeof updateAccountSettingsSchema>): AccountChange {
  const { low_balance: low, budget_thresholds: thresholds, email } = body.alerts ?? {};
  return {
    ...(body.store_content === undefined ? {} : { keepsContent: body.store_content }),
    ...(body.third_party_models === undefined ? {} : { thirdPartyModels: body.third_party_models }),
    ...(body.origins === undefined ? {} : { origins: body.origins ?? undefined }),
    ...(body.data_rules === undefined ? {} : { dataRules: toDataRules(body.data_rules) }),
    ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
    ...(low === undefined ? {} : { lowBalance: low === null ? undefined : toNanoCredits(low) }),
    ...(thresholds === undefined ? {} : { budgetThresholds: thresholds.toSorted((a, b) => a - b) }),
    ...(email === undefined ? {} : { alertEmail: email }),
  };
}

/** An account's settings, with its status by the total of its balance. */
export function toAccountSettingsResponse(
  account: Account,
  requestsPerMinute: number | undefined,
  total: bigint,
): z.infer<typeof accountSettingsResponseSchema> {
  const { lowBalance, budgetThresholds, email } = account.alerts;
  return {
    store_content: account.keepsContent,
    third_party_models: account.thirdPartyModels,
    origins: account.origins === undefined ? null : [...account.origins],
    data_rules: toDataRulesJson(account.dataRules),
    time_zone: account.timeZone,
    alerts: {
      low_balance: lowBalance === undefined ? null : toCredits(lowBalance),
      budget_thresholds: [...budgetThresholds],
      email,
    },
    requests_per_minute: requestsPerMinute ?? null,
    status: total > 0n ? "active" : "suspended",
  };
}

const readBalance = controlEndpoint({
  method: "GET",
  path: "/v1/balance",
  permission: "balance.read",
  status: 200,
  tag: "Account",
  summary: "What the account has",
  faults: [],
  response: z.object({
    balance: z.number(),
    held: z.number().describe("Set aside for requests now running."),
    available: z.number(),
    currency: z.literal("credits"),
  }),
  async handle({ services, caller }) {
    const { total } = await services.ledger.store.readPool(balancePool(caller.accountId));
    const held = services.ledger.funds.heldOf(caller.accountId);
    return {
      balance: toCredits(total),
      held: toCredits(held),
      available: toCredits(total - held),
      currency: "credits",
    };
  },
});

const readSettings = controlEndpoint({
  method: "GET",
  path: "/v1/settings",
  permission: "settings.read",
  status: 200,
  tag: "Account",
  summary: "The account's settings",
  faults: [],
  response: accountSettingsResponseSchema,
  handle: ({ services, caller }) => accountSettings(services, caller),
});

const changeSettings = controlEndpoint({
  method: "PATCH",
  path: "/v1/settings",
  permission: "settings.change",
  audit: { action: "settings.change", details: ({ body }) => body },
  status: 200,
  tag: "Account",
  summary: "Change the account's settings",
  description: "What is not given stays, also inside `alerts`.",
  faults: [],
  body: updateAccountSettingsSchema,
  response: accountSettingsResponseSchema,
  async handle({ services, caller, body }) {
    const { time_zone: zone } = body;
    if (zone !== undefined && !(await services.identity.accounts.knowsTimeZone(zone))) {
      throw new Fault("invalid_request", `The service's store does not know the zone ${zone}. Name another.`, {
        param: "time_zone",
      });
    }
    await services.identity.accounts.change(caller.accountId, toAccountChange(body));
    services.identity.keyring.invalidate();
    services.notify.alertMonitor.onAccountChange(caller.accountId);
    return accountSettings(services, caller);
  },
});

async function accountSettings(services: Services, { accountId, accountRequestsPerMinute }: Caller) {
  const account = await services.identity.accounts.find(accountId);
  if (account === undefined) throw new Error("A key belongs to no account.");
  const { total } = await services.ledger.store.readPool(balancePool(accountId));
  return toAccountSettingsResponse(account, accountRequestsPerMinute, total);
}

export const accountEndpoints: readonly Endpoint[] = [readBalance, readSettings, changeSettings];

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
        model: z.boolean().describe("There is a model besides the built-in ones."),
        answer: z.boolean().describe("A model besides the built-in ones has answered a request."),
        key: z.boolean().describe("There is a key, or a revoked one was used."),
        funded: z.boolean().describe("Credits were put on the balance."),
        request: z.boolean().describe("A request of a key was answered."),
      })
      .describe("Which of the first steps are done."),
  }),
  async handle({ services, caller }) {
    const overview = await services.usage.accountOverviews.read(
      caller.accountId,
      caller.timeZone,
      services.clock.now(),
    );
    return {
      balance: toCredits(overview.balance),
      low_balance: overview.balance <= 0n || overview.balance < (overview.lowBalance ?? 0n),
      time_zone: caller.timeZone,
      today: toUsageTotals(overview.today),
      yesterday: toUsageTotals(overview.yesterday),
      month: toUsageTotals(overview.month),
      days: overview.days.map((row) => ({ day: row.day, ...toUsageTotals(row) })),
      last_request: toOverviewRequest(overview.lastRequest),
      first_request: toOverviewRequest(overview.firstRequest),
      steps: {
        model: listModelsFor(services, caller).some(({ wire }) => wire !== "builtin"),
        answer: overview.wasAnswered,
        key: overview.hasKey,
        funded: overview.wasFunded,
        request: overview.firstRequest !== undefined,
      },
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
