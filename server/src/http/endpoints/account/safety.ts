import { CHANNELS, intendedAction, SAFETY_ACTIONS } from "@trunkline/core/verdict.ts";
import type { ModelIdentity } from "@trunkline/guard/policy/merge-policies.ts";
import { evaluateText } from "@trunkline/guard/screen/judge-passages.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { opinionResponseSchema, toOpinionResponse } from "../../responses/show-opinion.ts";
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
    "By the policy of the key that asks. Not charged. `channel`: whose words these are, the caller's own, quoted material, or a model's answer.",
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
    const guards = services.guardFor(caller);
    const guard =
      typeof body.model === "string" ? guards.forModel(parseModelName(services, body.model)) : guards;
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

/** The model that a word means, also where nobody has one of that name. */
function parseModelName(services: Services, word: string): ModelIdentity {
  const [known] = services.catalogue.byName(word);
  if (known !== undefined) return { provider: known.provider, name: known.name };
  const slash = word.indexOf("/");
  return { provider: slash === -1 ? undefined : word.slice(0, slash), name: word.slice(slash + 1) };
}

export const safetyEndpoints: readonly Endpoint[] = [checkSafety];
