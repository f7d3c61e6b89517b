import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import { DEBATABLE_CATEGORIES } from "@trunkline/guard/judge/doubts.ts";
import { readEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import {
  JUDGE_FORMATS,
  JUDGE_KINDS,
  type JudgeKind,
} from "@trunkline/providers/moderation-judges/all-judge-formats.ts";
import { z } from "zod";

const score = z.number().min(0).max(1);

const endpoint = z.strictObject({
  kind: z.enum(JUDGE_KINDS),
  url: z.string().superRefine((url, context) => {
    const read = readEndpoint(url, true);
    if (typeof read === "string")
      context.addIssue({ code: "custom", message: `is no address to ask at. ${read}` });
  }),
  api_key_env: z.string().min(1).optional(),
  model: z.string().min(1).max(256).optional(),
});

const model = z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/name of a registered model");
const timeBox = z.int().min(10).max(30_000).default(800);
const onFailure = z.enum(["open", "closed"]).default("open");

/** A model as the judge of doubtful texts, as the operator sets it while the service runs. */
export const judgeSet = z.strictObject({
  model: model.describe("`provider/name` of a registered model of texts."),
  time_box_ms: timeBox.describe("How long is waited for it."),
  on_failure: onFailure.describe(
    "Without an opinion `open` lets our own verdict stand, and `closed` refuses the doubtful text.",
  ),
});

/** How many texts may be with a judge in one moment, unless the configuration file says so. */
export const JUDGED_AT_ONCE = 32;

/** A judge of doubtful texts, as the configuration file says it. */
export const judgeTerms = z
  .strictObject({
    model: model.optional(),
    endpoint: endpoint.optional(),
    time_box_ms: timeBox,
    on_failure: onFailure,
    categories: z.array(z.enum(SAFETY_CATEGORIES)).min(1).optional(),
    band: z.strictObject({ from: score, to: score }).optional(),
    at_once: z.int().min(1).max(10_000).default(JUDGED_AT_ONCE),
  })
  .superRefine((judge, context) => {
    const refuse = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if ((judge.model === undefined) === (judge.endpoint === undefined))
      refuse([], "must name a model or an endpoint, and not both");
    if (judge.band !== undefined && judge.band.from >= judge.band.to)
      refuse(["band", "to"], "must be more than band.from");
    const tells = judgeTells(judge.endpoint?.kind);
    for (const [index, category] of (judge.categories ?? []).entries())
      if (!tells.includes(category)) refuse(["categories", index], "is nothing that this judge can tell of");
  });

/** What a judge can tell of; undefined: a model. A value is there or not, so that none of those is a matter of opinion. */
export function judgeTells(kind: JudgeKind | undefined): readonly SafetyCategory[] {
  if (kind === undefined) return DEBATABLE_CATEGORIES;
  const { tells } = JUDGE_FORMATS[kind];
  return DEBATABLE_CATEGORIES.filter((category) => tells.includes(category));
}
