import type { Caller } from "@trunkline/core/caller.ts";
import type { SafetyRules } from "@trunkline/core/safety-rules.ts";
import {
  effectiveThresholdsSchema,
  safetyRulesSchema,
  toPolicyJson,
  toSafetyRules,
  toSafetyRulesJson,
} from "@trunkline/core/safety-rules-schema.ts";
import { EffectivePolicy } from "@trunkline/guard/policy/merge-policies.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { auditSafeRules } from "../told-rules.ts";

const policyResponseSchema = z.object({
  rules: safetyRulesSchema.nullable().describe("What the account says itself; null: nothing."),
  effective: effectiveThresholdsSchema.describe(
    "What holds for each category, where no key or exception says otherwise.",
  ),
  dry_run: z.boolean().describe("Whether nothing but `sexual_minors` is acted on."),
  locked: z.boolean().describe("The account and its keys can only be stricter than the service."),
  source: z.enum(["service", "account"]).describe("Whose rules these are."),
});

const readPolicy = controlEndpoint({
  method: "GET",
  path: "/v1/safety/policy",
  permission: "safety.read",
  status: 200,
  tag: "Safety",
  summary: "The account's safety policy",
  faults: [],
  response: policyResponseSchema,
  handle: async ({ services, caller }) => toPolicyResponse(services, caller.safety?.account),
});

const setPolicy = controlEndpoint({
  method: "PUT",
  path: "/v1/safety/policy",
  permission: "safety.change",
  audit: { action: "safety.policy", details: ({ body }) => auditSafeRules(body) },
  status: 200,
  tag: "Safety",
  summary: "Set the account's safety policy",
  description:
    "Laid over what the service says, and under what each key says. What is not said stays the service's; a preset begins anew. Replaces what the account said before. Where the service has locked its policy, only what is stricter counts. `sexual_minors` can't be loosened, and only `pii` and `secret` can be redacted.",
  faults: [],
  body: safetyRulesSchema,
  response: policyResponseSchema,
  handle: ({ services, caller, body }) => changePolicy(services, caller, toSafetyRules(body)),
});

const resetPolicy = controlEndpoint({
  method: "DELETE",
  path: "/v1/safety/policy",
  permission: "safety.change",
  audit: { action: "safety.policy_reset" },
  status: 200,
  tag: "Safety",
  summary: "Go back to the service's safety policy",
  faults: [],
  response: policyResponseSchema,
  handle: ({ services, caller }) => changePolicy(services, caller, undefined),
});

async function changePolicy(services: Services, caller: Caller, safety: SafetyRules | undefined) {
  await services.accounts.change(caller.accountId, { safety });
  services.keyring.invalidate();
  return toPolicyResponse(services, safety);
}

function toPolicyResponse({ settings }: Services, account: SafetyRules | undefined) {
  const laid = new EffectivePolicy(settings.safety, { account, key: undefined });
  return {
    rules: account === undefined ? null : toSafetyRulesJson(account),
    effective: toPolicyJson(laid.policyFor().policy),
    dry_run: laid.dryRun,
    locked: settings.safety.locked ?? false,
    source: account === undefined ? "service" : "account",
  };
}

export const safetyPolicyEndpoints: readonly Endpoint[] = [readPolicy, setPolicy, resetPolicy];
