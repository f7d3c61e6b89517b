import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { balanceLot } from "@trunkline/core/funds-pool.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { settingsChangeOf, settingsPatch, settingsShown, settingsToWire } from "./settings.ts";

const readBalance = control({
  method: "GET",
  path: "/v1/balance",
  power: "balance.read",
  status: 200,
  tag: "Account",
  summary: "What the account has",
  faults: [],
  answer: z.object({
    balance: z.number(),
    held: z.number().describe("Set aside for requests now running."),
    available: z.number(),
    currency: z.literal("credits"),
  }),
  async handle({ house, caller }) {
    const { total } = await house.ledger.look(balanceLot(caller.accountId));
    const held = house.funds.heldOf(caller.accountId);
    return {
      balance: toCredits(total),
      held: toCredits(held),
      available: toCredits(total - held),
      currency: "credits",
    };
  },
});

const readSettings = control({
  method: "GET",
  path: "/v1/settings",
  power: "settings.read",
  status: 200,
  tag: "Account",
  summary: "The account's settings",
  faults: [],
  answer: settingsShown,
  handle: ({ house, caller }) => showSettings(house, caller),
});

const changeSettings = control({
  method: "PATCH",
  path: "/v1/settings",
  power: "settings.change",
  deed: { action: "settings.change", details: ({ body }) => body },
  status: 200,
  tag: "Account",
  summary: "Change the account's settings",
  description: "What is not given stays, also inside `alerts`.",
  faults: [],
  body: settingsPatch,
  answer: settingsShown,
  async handle({ house, caller, body }) {
    const { time_zone: zone } = body;
    if (zone !== undefined && !(await house.accounts.knowsTimeZone(zone))) {
      throw new Fault(
        "invalid_request",
        `The service's store does not know the zone ${zone}. Name another.`,
        {
          param: "time_zone",
        },
      );
    }
    await house.accounts.change(caller.accountId, settingsChangeOf(body));
    house.keyring.forget();
    house.lookout.noticeAccount(caller.accountId);
    return showSettings(house, caller);
  },
});

async function showSettings(house: House, { accountId }: Caller) {
  const account = await house.accounts.find(accountId);
  if (account === undefined) throw new Error("A key belongs to no account.");
  const { total } = await house.ledger.look(balanceLot(accountId));
  return settingsToWire(account, total);
}

export const accountEndpoints: readonly Endpoint[] = [readBalance, readSettings, changeSettings];
