import { z } from "zod";
import { balanceLot } from "../../domain/lot.ts";
import { toCredits } from "../../kit/money.ts";
import { control, type Endpoint } from "../endpoint.ts";

const readBalance = control({
  method: "GET",
  path: "/v1/balance",
  scope: "read",
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

const settings = z.object({
  store_content: z.boolean().describe("Keep prompts and outputs in the request records."),
});

const readSettings = control({
  method: "GET",
  path: "/v1/settings",
  scope: "manage",
  status: 200,
  tag: "Account",
  summary: "The account's settings",
  faults: [],
  answer: settings,
  handle: async ({ caller }) => ({ store_content: caller.keepsContent }),
});

const changeSettings = control({
  method: "PATCH",
  path: "/v1/settings",
  scope: "manage",
  status: 200,
  tag: "Account",
  summary: "Change the account's settings",
  faults: [],
  body: settings.partial(),
  answer: settings,
  async handle({ house, caller, body }) {
    const keepsContent = body.store_content ?? caller.keepsContent;
    await house.accounts.change(caller.accountId, { keepsContent });
    house.keyring.forget();
    return { store_content: keepsContent };
  },
});

export const accountEndpoints: readonly Endpoint[] = [readBalance, readSettings, changeSettings];
