import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { JUDGEABLE_CATEGORIES } from "@trunkline/guard/judge/resolve-uncertainty.ts";
import { parseEndpointUrl } from "@trunkline/providers/dialer/address-guard.ts";
import {
  JUDGE_FORMATS,
  JUDGE_KINDS,
  type JudgeKind,
} from "@trunkline/providers/moderation-judges/moderation-formats.ts";
import { z } from "zod";

const scoreSchema = z.number().min(0).max(1);

const judgeEndpointSchema = z.strictObject({
  kind: z.enum(JUDGE_KINDS),
  url: z.string().superRefine((url, context) => {
    const read = parseEndpointUrl(url, true);
    if (typeof read === "string") context.addIssue({ code: "custom", message: `is no address to ask at. ${read}` });
  }),
  api_key_env: z.string().min(1).optional(),
  model: z.string().min(1).max(256).optional(),
});

const judgeModelSchema = z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/name of a registered model");
const timeoutSchema = z.int().min(10).max(30_000).default(800);
const onFailureSchema = z.enum(["open", "closed"]).default("open");

/** A model as the judge of doubtful texts, as the operator sets it while the service runs. */
export const judgeSettingSchema = z.strictObject({
  model: judgeModelSchema.describe("`provider/name` of a registered model of texts."),
  time_box_ms: timeoutSchema.describe("How long is waited for it."),
  on_failure: onFailureSchema.describe(
    "Without an opinion `open` lets our own verdict stand, and `closed` refuses the doubtful text.",
  ),
});

/** How many texts may be with a judge in one moment, unless the configuration file says so. */
export const JUDGE_CONCURRENCY_DEFAULT = 32;

/** A judge of doubtful texts, as the configuration file says it. */
export const judgeConfigSchema = z
  .strictObject({
    model: judgeModelSchema.optional(),
    endpoint: judgeEndpointSchema.optional(),
    time_box_ms: timeoutSchema,
    on_failure: onFailureSchema,
    categories: z.array(z.enum(SAFETY_CATEGORIES)).min(1).optional(),
    band: z.strictObject({ from: scoreSchema, to: scoreSchema }).optional(),
    at_once: z.int().min(1).max(10_000).default(JUDGE_CONCURRENCY_DEFAULT),
  })
  .superRefine((judge, context) => {
    const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: "custom", path, message });
    if ((judge.model === undefined) === (judge.endpoint === undefined))
      refuse([], "must name a model or an endpoint, and not both");
    if (judge.band !== undefined && judge.band.from >= judge.band.to)
      refuse(["band", "to"], "must be more than band.from");
    const tells = judgeCategoriesOf(judge.endpoint?.kind);
    for (const [index, category] of (judge.categories ?? []).entries())
      if (!tells.includes(category)) refuse(["categories", index], "is nothing that this judge can tell of");
  });

/** What a judge can tell of; undefined: a model. A value is there or not, so that none of those is a matter of opinion. */
export function judgeCategoriesOf(kind: JudgeKind | undefined): readonly SafetyCategory[] {
  if (kind === undefined) return JUDGEABLE_CATEGORIES;
  const { categories: tells } = JUDGE_FORMATS[kind];
  return JUDGEABLE_CATEGORIES.filter((category) => tells.includes(category));
}
