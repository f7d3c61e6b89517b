import type { Caller } from "@trunkline/core/caller.ts";
import type { SafetyRules } from "@trunkline/core/safety-rules.ts";
import {
  effectiveMarks,
  policyToWire,
  rulesOf,
  rulesToWire,
  safetyRules,
} from "@trunkline/core/safety-rules-schema.ts";
import { LaidRules } from "@trunkline/guard/policy/merge-policies.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { withoutPhrases } from "../told-rules.ts";

const policyShown = z.object({
  rules: safetyRules.nullable().describe("What the account says itself; null: nothing."),
  effective: effectiveMarks.describe(
    "What holds for each category, where no key or exception says otherwise.",
  ),
  dry_run: z.boolean().describe("Whether nothing but `sexual_minors` is acted on."),
  locked: z.boolean().describe("The account and its keys can only be stricter than the service."),
  source: z.enum(["service", "account"]).describe("Whose rules these are."),
});

const readPolicy = control({
  method: "GET",
  path: "/v1/safety/policy",
  power: "safety.read",
  status: 200,
  tag: "Safety",
  summary: "The account's safety policy",
  faults: [],
  answer: policyShown,
  handle: async ({ house, caller }) => policyOf(house, caller.safety?.account),
});

const setPolicy = control({
  method: "PUT",
  path: "/v1/safety/policy",
  power: "safety.change",
  deed: { action: "safety.policy", details: ({ body }) => withoutPhrases(body) },
  status: 200,
  tag: "Safety",
  summary: "Set the account's safety policy",
  description:
    "Laid over what the service says, and under what each key says. What is not said stays the service's; a preset begins anew. Replaces what the account said before. Where the service has locked its policy, only what is stricter counts. `sexual_minors` can't be loosened, and only `pii` and `secret` can be redacted.",
  faults: [],
  body: safetyRules,
  answer: policyShown,
  handle: ({ house, caller, body }) => change(house, caller, rulesOf(body)),
});

const dropPolicy = control({
  method: "DELETE",
  path: "/v1/safety/policy",
  power: "safety.change",
  deed: { action: "safety.policy_reset" },
  status: 200,
  tag: "Safety",
  summary: "Go back to the service's safety policy",
  faults: [],
  answer: policyShown,
  handle: ({ house, caller }) => change(house, caller, undefined),
});

async function change(house: House, caller: Caller, safety: SafetyRules | undefined) {
  await house.accounts.change(caller.accountId, { safety });
  house.keyring.forget();
  return policyOf(house, safety);
}

function policyOf({ settings }: House, account: SafetyRules | undefined) {
  const laid = new LaidRules(settings.safety, { account, key: undefined });
  return {
    rules: account === undefined ? null : rulesToWire(account),
    effective: policyToWire(laid.policyFor().policy),
    dry_run: laid.dryRun,
    locked: settings.safety.locked ?? false,
    source: account === undefined ? "service" : "account",
  };
}

export const safetyPolicyEndpoints: readonly Endpoint[] = [readPolicy, setPolicy, dropPolicy];
