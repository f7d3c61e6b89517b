import { CHANNELS, meantAction, SAFETY_ACTIONS } from "@trunkline/core/verdict.ts";
import type { Named } from "@trunkline/guard/policy/merge-policies.ts";
import { judgeText } from "@trunkline/guard/screen/judge-passages.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { opinionOf, opinionShown } from "../../responses/show-opinion.ts";
import { control, type Endpoint } from "../endpoint.ts";

const checkSafety = control({
  method: "POST",
  path: "/v1/safety/check",
  power: "safety.check",
  deed: null,
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
  answer: z.object({
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
      .array(opinionShown)
      .optional()
      .describe("What a judge outside said, where the text was doubtful and there is one."),
    dry_run: z
      .literal(true)
      .optional()
      .describe("The policy is tried out: `action` says what would be done, and is not."),
  }),
  async handle({ house, body, caller }) {
    const guards = house.guardFor(caller);
    const guard = typeof body.model === "string" ? guards.forModel(namedBy(house, body.model)) : guards;
    const verdict = await judgeText(guard, body.input, body.channel ?? "user");
    const { flagged, categories, spans, normalised } = verdict;
    return {
      flagged,
      action: meantAction(verdict),
      categories,
      spans,
      normalised,
      ...(verdict.opinions === undefined ? {} : { judge: verdict.opinions.map(opinionOf) }),
      ...(verdict.dryRun === undefined ? {} : { dry_run: true }),
    };
  },
});

/** The model that a word means, also where nobody has one of that name. */
function namedBy(house: House, word: string): Named {
  const [known] = house.catalogue.byName(word);
  if (known !== undefined) return { provider: known.provider, name: known.name };
  const slash = word.indexOf("/");
  return { provider: slash === -1 ? undefined : word.slice(0, slash), name: word.slice(slash + 1) };
}

export const safetyEndpoints: readonly Endpoint[] = [checkSafety];
