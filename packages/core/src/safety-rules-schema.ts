import { z } from "zod";
import { isRedactable, SAFETY_CATEGORIES } from "./safety-category.ts";
import {
  type CategoryRules,
  POLICY_ACTIONS,
  type PolicyOverride,
  SAFETY_PRESETS,
  type SafetyException,
  type SafetyRules,
  type ServiceSafetyRules,
  type Thresholds,
} from "./safety-rules.ts";
import { storable } from "./storable.ts";

/** The score at which the sexual abuse of children is refused at the latest. */
const GRAVEST_REFUSED_AT = 0.5;

const mark = z.number().min(0).max(1).nullable().describe("From which score on; null: never.");
const marks = z
  .strictObject({
    report_at: mark,
    redact_at: mark.default(null).describe("From which score on values are taken out; null: never."),
    refuse_at: mark,
  })
  .refine(({ report_at: report, redact_at: redact, refuse_at: refuse }) => {
    const given = [report, redact, refuse].filter((score) => score !== null);
    return given.every((score, place) => place === 0 || score >= (given[place - 1] ?? 0));
  }, "must report at a score no higher than the one that it redacts at, and redact at none higher than the one that it refuses at");

const category = z.enum(SAFETY_CATEGORIES);
const preset = z
  .enum(SAFETY_PRESETS)
  .optional()
  .describe("Begins anew, whatever was said before; absent: what holds without it.");
const categories = z
  .partialRecord(category, z.union([z.enum(POLICY_ACTIONS), marks]))
  .superRefine((rules, context) => {
    for (const name of SAFETY_CATEGORIES) {
      const rule = rules[name];
      const message = rule === undefined ? undefined : whyImpossible(name, rule);
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
  })
  .optional()
  .describe("What differs: an action for whatever would at least be reported without it, or scores.");

type WireRule = (typeof POLICY_ACTIONS)[number] | z.output<typeof marks>;

function whyImpossible(name: (typeof SAFETY_CATEGORIES)[number], rule: WireRule): string | undefined {
  const redacts = rule === "redact" || (typeof rule === "object" && rule.redact_at !== null);
  if (redacts && !isRedactable(name))
    return "can't be redacted, as only values of pii and secret can be taken out";
  if (name !== "sexual_minors" || rule === "refuse") return undefined;
  const refusesSoon =
    typeof rule === "object" && rule.refuse_at !== null && rule.refuse_at <= GRAVEST_REFUSED_AT;
  return refusesSoon ? undefined : `must be refused at a score of ${GRAVEST_REFUSED_AT} or less`;
}

const names = z
  .array(storable(z.string().min(1).max(256)))
  .min(1)
  .max(100)
  .optional();
const exception = z
  .strictObject({
    models: names.describe("Names or provider/names; whether there are such models is not asked."),
    providers: names.describe("All models of these."),
    preset,
    categories,
  })
  .refine(
    ({ models, providers }) => models !== undefined || providers !== undefined,
    "must name the models or the providers that it is about",
  );

const fields = {
  preset,
  categories,
  exceptions: z
    .array(exception)
    .max(20)
    .optional()
    .describe("Rules for some models alone, laid over the rest in their order."),
  allow_list: z
    .array(storable(z.string().trim().min(2).max(200)))
    .max(100)
    .optional()
    .describe(
      "Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same.",
    ),
  dry_run: z
    .boolean()
    .optional()
    .describe(
      "Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same.",
    ),
  restore: z
    .boolean()
    .optional()
    .describe("Whether values that were taken out of a request are put back into its answer. Default true."),
};

/** What an account or a key says of safety. */
export const safetyRules = z.strictObject(fields);
/** What the service says of it. */
export const serviceSafetyRules = z.strictObject({
  ...fields,
  locked: z
    .boolean()
    .optional()
    .describe(
      "Accounts and keys can only be stricter; their allow-lists and dry runs do not count. Default false.",
    ),
});

/** What holds for each category. */
export const effectiveMarks = z.record(
  category,
  z.object({
    report_at: z.number().nullable(),
    redact_at: z.number().nullable(),
    refuse_at: z.number().nullable(),
  }),
);

type WireRules = z.output<typeof serviceSafetyRules>;

/** Rules as they are used, out of their form on the wire. */
export function rulesOf(wire: WireRules): ServiceSafetyRules {
  return {
    preset: wire.preset,
    categories: wire.categories && categoriesOf(wire.categories),
    exceptions: wire.exceptions?.map(
      (one): SafetyException => ({ ...one, categories: one.categories && categoriesOf(one.categories) }),
    ),
    allowList: wire.allow_list,
    dryRun: wire.dry_run,
    restore: wire.restore,
    locked: wire.locked,
  };
}

/** Rules in their form on the wire. */
export function rulesToWire(rules: ServiceSafetyRules): WireRules {
  return {
    preset: rules.preset,
    categories: rules.categories && categoriesToWire(rules.categories),
    exceptions: rules.exceptions?.map((one) => ({
      models: one.models && [...one.models],
      providers: one.providers && [...one.providers],
      preset: one.preset,
      categories: one.categories && categoriesToWire(one.categories),
    })),
    allow_list: rules.allowList && [...rules.allowList],
    dry_run: rules.dryRun,
    restore: rules.restore,
    locked: rules.locked,
  };
}

/** Rules that were kept. What can't be understood, as another version may have written it, counts as not there. */
export function keptRulesOf(kept: unknown): SafetyRules | undefined {
  if (kept === null || kept === undefined) return undefined;
  const read = safetyRules.safeParse(kept);
  return read.success ? rulesOf(read.data) : undefined;
}

/** The same of the service's. They were once kept in the form in which they are used. */
export function keptServiceRulesOf(kept: unknown): ServiceSafetyRules | undefined {
  const read = serviceSafetyRules.safeParse(fromOlderForm(kept));
  return read.success ? rulesOf(read.data) : undefined;
}

const olderRules = z.looseObject({ categories: z.record(z.string(), z.unknown()) });
const olderMarks = z
  .strictObject({
    reportAt: z.number().nullish(),
    redactAt: z.number().nullish(),
    refuseAt: z.number().nullish(),
  })
  .transform((one) => ({
    report_at: one.reportAt ?? null,
    redact_at: one.redactAt ?? null,
    refuse_at: one.refuseAt ?? null,
  }));

function fromOlderForm(kept: unknown): unknown {
  const older = olderRules.safeParse(kept);
  if (!older.success) return kept;
  const rules = Object.entries(older.data.categories).map(([name, rule]) => [
    name,
    olderMarks.safeParse(rule).data ?? rule,
  ]);
  return { ...older.data, categories: Object.fromEntries(rules) };
}

export function marksToWire({ reportAt, redactAt, refuseAt }: Thresholds) {
  return { report_at: reportAt ?? null, redact_at: redactAt ?? null, refuse_at: refuseAt ?? null };
}

/** A policy as it is told: every category's marks. */
export function policyToWire(
  policy: Readonly<Record<(typeof SAFETY_CATEGORIES)[number], Thresholds>>,
): Record<string, ReturnType<typeof marksToWire>> {
  return Object.fromEntries(SAFETY_CATEGORIES.map((name) => [name, marksToWire(policy[name])]));
}

function categoriesOf(wire: NonNullable<WireRules["categories"]>): CategoryRules {
  return mapCategories(
    wire,
    (rule): PolicyOverride =>
      typeof rule === "object"
        ? {
            reportAt: rule.report_at ?? undefined,
            redactAt: rule.redact_at ?? undefined,
            refuseAt: rule.refuse_at ?? undefined,
          }
        : rule,
  );
}

function categoriesToWire(rules: CategoryRules): NonNullable<WireRules["categories"]> {
  return mapCategories(rules, (rule): WireRule => (typeof rule === "object" ? marksToWire(rule) : rule));
}

function mapCategories<From, To>(
  rules: Readonly<Partial<Record<(typeof SAFETY_CATEGORIES)[number], From>>>,
  change: (rule: From) => To,
): Partial<Record<(typeof SAFETY_CATEGORIES)[number], To>> {
  const changed: Partial<Record<(typeof SAFETY_CATEGORIES)[number], To>> = {};
  for (const name of SAFETY_CATEGORIES) {
    const rule = rules[name];
    if (rule !== undefined) changed[name] = change(rule);
  }
  return changed;
}
