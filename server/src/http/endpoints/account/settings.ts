import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas--money.ts";
import { scaleDecimal, toCredits } from "@trunkline/core/money.ts";
import { isTimeZone } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { Account, AccountChange } from "../../../identity/organisations/account.ts";

/** A part of a budget, exact to the millionth. */
const budgetThresholdSchema = z
  .number()
  .gt(0)
  .max(1)
  .refine((value) => scaleDecimal(value, 6) !== undefined, "may have at most 6 decimals");

/** What an account wants to be told of. */
export const alertSettingsSchema = z.object({
  low_balance: creditsSchema(0.000000001, 1_000_000_000)
    .nullable()
    .describe("`balance.low` is sent when the balance falls below this many credits; null: never."),
  budget_thresholds: z
    .array(budgetThresholdSchema)
    .max(10)
    .refine((values) => new Set(values).size === values.length, "must not name a threshold twice")
    .describe("`budget.threshold` is sent when a key has used these parts of its budget."),
});

const accountSettingsFields = {
  store_content: z.boolean().describe("Keep prompts and outputs in the request records."),
  time_zone: z
    .string()
    .refine(isTimeZone, "must be an IANA zone, for example Europe/Berlin")
    .describe("The IANA zone in which the account's days, weeks and months begin."),
};

/** An account's settings as they are shown. */
export const accountSettingsResponseSchema = z.object({
  ...accountSettingsFields,
  alerts: alertSettingsSchema,
  status: z
    .enum(["active", "suspended"])
    .describe("Suspended: no credits are left, so nothing that costs is answered."),
});

export const updateAccountSettingsSchema = z
  .object({ ...accountSettingsFields, alerts: alertSettingsSchema.partial() })
  .partial();

/** What was said of the settings; what was not said stays. */
export function toAccountChange(body: z.infer<typeof updateAccountSettingsSchema>): AccountChange {
  const { low_balance: low, budget_thresholds: thresholds } = body.alerts ?? {};
  return {
    ...(body.store_content === undefined ? {} : { keepsContent: body.store_content }),
    ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
    ...(low === undefined ? {} : { lowBalance: low === null ? undefined : toNanoCredits(low) }),
    ...(thresholds === undefined ? {} : { budgetThresholds: thresholds.toSorted((a, b) => a - b) }),
  };
}

/** An account's settings, and whether anything is left to pay with. */
export function toAccountSettingsResponse(
  account: Account,
  total: bigint,
): z.infer<typeof accountSettingsResponseSchema> {
  const { lowBalance, budgetThresholds } = account.alerts;
  return {
    store_content: account.keepsContent,
    time_zone: account.timeZone,
    alerts: {
      low_balance: lowBalance === undefined ? null : toCredits(lowBalance),
      budget_thresholds: [...budgetThresholds],
    },
    status: total > 0n ? "active" : "suspended",
  };
}
