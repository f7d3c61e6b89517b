import type { Caller } from "@trunkline/core/caller.ts";
import type { SafetyRules } from "@trunkline/core/safety-policy.ts";
import {
  effectiveThresholdsSchema,
  safetyRulesSchema,
  toPolicyJson,
  toSafetyRules,
  toSafetyRulesJson,
} from "@trunkline/core/safety-rules-schema.ts";
import { CHANNELS, intendedAction, SAFETY_ACTIONS } from "@trunkline/core/verdict.ts";
import { EffectivePolicy, type ModelIdentity } from "@trunkline/guard/policy/merge-policies.ts";
import { evaluateText } from "@trunkline/guard/screen/evaluate-text.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { opinionResponseSchema, toOpinionResponse } from "../../responses/safety-verdict.ts";
import { auditSafeRules } from "../audit.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const checkSafety = controlEndpoint({
  method: "POST",
  path: "/v1/safety/check",
  permission: "safety.check",
  audit: null,
  status: 200,
  tag: "Safety",
  summary: "See what the safety check makes of a text",
  description:
    "By the policy of the key that asks. Not charged. `channel`: whose words these are, the user's, quoted material, the application's own (system prompts, tools, parameters), or a model's answer.",
  faults: [],
  body: z.object({
    input: z.string().min(1).max(400_000),
    channel: z.enum(CHANNELS).nullable().optional(),
    model: z
      .string()
      .min(1)
      .max(256)
      .nullable()
      .optional()
      .describe("A name or provider/name, where rules for some models alone shall count."),
    rules: safetyRulesSchema
      .optional()
      .describe("Tries these rules in place of the account's and the key's. Nothing is saved."),
  }),
  response: z.object({
    flagged: z.boolean(),
    action: z.enum(SAFETY_ACTIONS),
    categories: z.record(z.string(), z.number().min(0).max(1)),
    spans: z.array(
      z.object({
        category: z.string(),
        kind: z.string().optional().describe("What the value there is, such as `email`, where it is one."),
        start: z.number(),
        end: z.number(),
      }),
    ),
    normalised: z.array(z.string()).describe("What was undone before judging."),
    judge: z
      .array(opinionResponseSchema)
      .optional()
      .describe("What a judge outside said, where the text was doubtful and there is one."),
    dry_run: z
      .literal(true)
      .optional()
      .describe("The policy is tried out: `action` says what would be done, and is not."),
  }),
  async handle({ services, body, caller }) {
    const guards = services.guardFor(body.rules === undefined ? caller : callerWithRules(caller, body.rules));
    const guard = typeof body.model === "string" ? guards.forModel(parseModelName(services, body.model)) : guards;
    const verdict = await evaluateText(guard, body.input, body.channel ?? "user");
    const { flagged, categories, spans, normalised } = verdict;
    return {
      flagged,
      action: intendedAction(verdict),
      categories,
      spans,
      normalised,
      ...(verdict.opinions === undefined ? {} : { judge: verdict.opinions.map(toOpinionResponse) }),
      ...(verdict.dryRun === undefined ? {} : { dry_run: true }),
    };
  },
});

/** A caller whose account has other rules, and whose key has none. */
function callerWithRules(caller: Caller, rules: z.output<typeof safetyRulesSchema>): Caller {
  return { ...caller, safety: { account: toSafetyRules(rules), key: undefined } };
}

/** The model of a name or `provider/name`, also where no such model is registered. */
function parseModelName(services: Services, text: string): ModelIdentity {
  const [known] = services.providers.catalogue.byName(text);
  if (known !== undefined) return { provider: known.provider, name: known.name };
  const slash = text.indexOf("/");
  return { provider: slash === -1 ? undefined : text.slice(0, slash), name: text.slice(slash + 1) };
}

export const safetyEndpoints: readonly Endpoint[] = [checkSafety];

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
  await services.identity.accounts.change(caller.accountId, { safety });
  services.identity.keyring.invalidate();
  return toPolicyResponse(services, safety);
}

function toPolicyResponse({ settings }: Services, account: SafetyRules | undefined) {
  const effectivePolicy = new EffectivePolicy(settings.safety, { account, key: undefined });
  return {
    rules: account === undefined ? null : toSafetyRulesJson(account),
    effective: toPolicyJson(effectivePolicy.policyFor().policy),
    dry_run: effectivePolicy.dryRun,
    locked: settings.safety.locked ?? false,
    source: account === undefined ? "service" : "account",
  };
}

export const safetyPolicyEndpoints: readonly Endpoint[] = [readPolicy, setPolicy, resetPolicy];
