import { dataClaimSchema } from "@trunkline/core/data-rules.ts";
import { JUDGEABLE_CATEGORIES, SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
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
    const parsed = parseEndpointUrl(url, true);
    if (typeof parsed === "string") context.addIssue({ code: "custom", message: `is no address to ask at. ${parsed}` });
  }),
  api_key_env: z.string().min(1).optional(),
  model: z.string().min(1).max(256).optional(),
  data: dataClaimSchema.strict().optional(),
});

const judgeModelSchema = z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/name of a registered model");
const timeoutSchema = z.int().min(10).max(30_000).default(800);
const onFailureSchema = z.enum(["open", "closed"]).default("open");

/** A model that judges uncertain texts, as the operator sets it while the service runs. */
export const judgeSettingSchema = z.strictObject({
  model: judgeModelSchema.describe("`provider/name` of a registered model of texts."),
  time_box_ms: timeoutSchema.describe("How long is waited for it."),
  on_failure: onFailureSchema.describe(
    "Without an opinion `open` lets our own verdict stand, and `closed` refuses the doubtful text.",
  ),
});

/** The most texts that a judge gets at the same time, unless the configuration file sets another number. */
export const JUDGE_CONCURRENCY_DEFAULT = 32;

/** A judge of uncertain texts in the configuration file. */
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
    const judged = judgeCategoriesOf(judge.endpoint?.kind);
    for (const [index, category] of (judge.categories ?? []).entries())
      if (!judged.includes(category)) refuse(["categories", index], "is nothing that this judge can tell of");
  });

/** The categories that a judge can decide; undefined: a model. A redactable value is either there or not, so it needs no judge. */
export function judgeCategoriesOf(kind: JudgeKind | undefined): readonly SafetyCategory[] {
  if (kind === undefined) return JUDGEABLE_CATEGORIES;
  const { categories } = JUDGE_FORMATS[kind];
  return JUDGEABLE_CATEGORIES.filter((category) => categories.includes(category));
}
