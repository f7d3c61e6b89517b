import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import {
  accountSettingsResponseSchema,
  toAccountChange,
  toAccountSettingsResponse,
  updateAccountSettingsSchema,
} from "./settings.ts";

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
    const { total } = await services.ledger.readPool(balancePool(caller.accountId));
    const held = services.accountFunds.heldOf(caller.accountId);
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
    if (zone !== undefined && !(await services.accounts.knowsTimeZone(zone))) {
      throw new Fault(
        "invalid_request",
        `The service's store does not know the zone ${zone}. Name another.`,
        {
          param: "time_zone",
        },
      );
    }
    await services.accounts.change(caller.accountId, toAccountChange(body));
    services.keyring.invalidate();
    services.alertMonitor.onAccountChange(caller.accountId);
    return accountSettings(services, caller);
  },
});

async function accountSettings(services: Services, { accountId }: Caller) {
  const account = await services.accounts.find(accountId);
  if (account === undefined) throw new Error("A key belongs to no account.");
  const { total } = await services.ledger.readPool(balancePool(accountId));
  return toAccountSettingsResponse(account, total);
}

export const accountEndpoints: readonly Endpoint[] = [readBalance, readSettings, changeSettings];
