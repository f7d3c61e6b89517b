import { z } from "zod";
import { storableText } from "./field-schemas.ts";
import {
  type CategoryRules,
  isRedactable,
  POLICY_ACTIONS,
  type PolicyOverride,
  SAFETY_CATEGORIES,
  SAFETY_PRESETS,
  type SafetyException,
  type SafetyRules,
  type SafetyThresholds,
  type ServiceSafetyRules,
} from "./safety-policy.ts";

/** The highest threshold for refusing the sexual abuse of children. */
const MINORS_REFUSE_AT_MAX = 0.5;

const scoreSchema = z.number().min(0).max(1).nullable().describe("From which score on; null: never.");
const thresholdsSchema = z
  .strictObject({
    report_at: scoreSchema,
    redact_at: scoreSchema.default(null).describe("From which score on values are taken out; null: never."),
    refuse_at: scoreSchema,
  })
  .refine(({ report_at: report, redact_at: redact, refuse_at: refuse }) => {
    const given = [report, redact, refuse].filter((score) => score !== null);
    return given.every((score, place) => place === 0 || score >= (given[place - 1] ?? 0));
  }, "must report at a score no higher than the one that it redacts at, and redact at none higher than the one that it refuses at");

const categorySchema = z.enum(SAFETY_CATEGORIES);
const presetSchema = z
  .enum(SAFETY_PRESETS)
  .optional()
  .describe("Begins anew, whatever was said before; absent: what holds without it.");
const categoriesSchema = z
  .partialRecord(categorySchema, z.union([z.enum(POLICY_ACTIONS), thresholdsSchema]))
  .superRefine((rules, context) => {
    for (const name of SAFETY_CATEGORIES) {
      const rule = rules[name];
      const message = rule === undefined ? undefined : whyInvalid(name, rule);
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
  })
  .optional()
  .describe("What differs: an action for whatever would at least be reported without it, or scores.");

type CategoryRuleJson = (typeof POLICY_ACTIONS)[number] | z.output<typeof thresholdsSchema>;

function whyInvalid(name: (typeof SAFETY_CATEGORIES)[number], rule: CategoryRuleJson): string | undefined {
  const redacts = rule === "redact" || (typeof rule === "object" && rule.redact_at !== null);
  if (redacts && !isRedactable(name)) return "can't be redacted, as only values of pii and secret can be taken out";
  if (name !== "sexual_minors" || rule === "refuse") return undefined;
  const refusesSoon = typeof rule === "object" && rule.refuse_at !== null && rule.refuse_at <= MINORS_REFUSE_AT_MAX;
  return refusesSoon ? undefined : `must be refused at a score of ${MINORS_REFUSE_AT_MAX} or less`;
}

const modelNamesSchema = z
  .array(storableText(z.string().min(1).max(256)))
  .min(1)
  .max(100)
  .optional();
const exceptionSchema = z
  .strictObject({
    models: modelNamesSchema.describe("Names or provider/names; whether there are such models is not asked."),
    providers: modelNamesSchema.describe("All models of these."),
    preset: presetSchema,
    categories: categoriesSchema,
  })
  .refine(
    ({ models, providers }) => models !== undefined || providers !== undefined,
    "must name the models or the providers that it is about",
  );

const safetyRulesFields = {
  preset: presetSchema,
  categories: categoriesSchema,
  exceptions: z
    .array(exceptionSchema)
    .max(20)
    .optional()
    .describe("Rules for some models alone, laid over the rest in their order."),
  allow_list: z
    .array(storableText(z.string().trim().min(2).max(200)))
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

/** The safety rules of an account or a key. */
export const safetyRulesSchema = z.strictObject(safetyRulesFields);
/** The safety rules of the service. */
export const serviceSafetyRulesSchema = z.strictObject({
  ...safetyRulesFields,
  locked: z
    .boolean()
    .optional()
    .describe("Accounts and keys can only be stricter; their allow-lists and dry runs do not count. Default false."),
});

/** The thresholds that apply to each category. */
export const effectiveThresholdsSchema = z.record(
  categorySchema,
  z.object({
    report_at: z.number().nullable(),
    redact_at: z.number().nullable(),
    refuse_at: z.number().nullable(),
  }),
);

type SafetyRulesJson = z.output<typeof serviceSafetyRulesSchema>;

/** Rules from their JSON form. */
export function toSafetyRules(wire: SafetyRulesJson): ServiceSafetyRules {
  return {
    preset: wire.preset,
    categories: wire.categories && toCategoryRules(wire.categories),
    exceptions: wire.exceptions?.map(
      (one): SafetyException => ({ ...one, categories: one.categories && toCategoryRules(one.categories) }),
    ),
    allowList: wire.allow_list,
    dryRun: wire.dry_run,
    restore: wire.restore,
    locked: wire.locked,
  };
}

/** Rules in their JSON form. */
export function toSafetyRulesJson(rules: ServiceSafetyRules): SafetyRulesJson {
  return {
    preset: rules.preset,
    categories: rules.categories && toCategoryRulesJson(rules.categories),
    exceptions: rules.exceptions?.map((one) => ({
      models: one.models && [...one.models],
      providers: one.providers && [...one.providers],
      preset: one.preset,
      categories: one.categories && toCategoryRulesJson(one.categories),
    })),
    allow_list: rules.allowList && [...rules.allowList],
    dry_run: rules.dryRun,
    restore: rules.restore,
    locked: rules.locked,
  };
}

/** Stored rules. Rules that can't be parsed, because another version wrote them, count as absent. */
export function parseStoredSafetyRules(stored: unknown): SafetyRules | undefined {
  if (stored === null || stored === undefined) return undefined;
  const read = safetyRulesSchema.safeParse(stored);
  return read.success ? toSafetyRules(read.data) : undefined;
}

/** Stored rules of the service. Older versions stored them in the internal form. */
export function parseStoredServiceSafetyRules(stored: unknown): ServiceSafetyRules | undefined {
  const read = serviceSafetyRulesSchema.safeParse(upgradeLegacyRules(stored));
  return read.success ? toSafetyRules(read.data) : undefined;
}

const legacyRulesSchema = z.looseObject({ categories: z.record(z.string(), z.unknown()) });
const legacyThresholdsSchema = z
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

function upgradeLegacyRules(stored: unknown): unknown {
  const older = legacyRulesSchema.safeParse(stored);
  if (!older.success) return stored;
  const rules = Object.entries(older.data.categories).map(([name, rule]) => [
    name,
    legacyThresholdsSchema.safeParse(rule).data ?? rule,
  ]);
  return { ...older.data, categories: Object.fromEntries(rules) };
}

export function toThresholdsJson({ reportAt, redactAt, refuseAt }: SafetyThresholds) {
  return { report_at: reportAt ?? null, redact_at: redactAt ?? null, refuse_at: refuseAt ?? null };
}

/** A policy in its JSON form: the thresholds of every category. */
export function toPolicyJson(
  policy: Readonly<Record<(typeof SAFETY_CATEGORIES)[number], SafetyThresholds>>,
): Record<string, ReturnType<typeof toThresholdsJson>> {
  return Object.fromEntries(SAFETY_CATEGORIES.map((name) => [name, toThresholdsJson(policy[name])]));
}

function toCategoryRules(wire: NonNullable<SafetyRulesJson["categories"]>): CategoryRules {
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

function toCategoryRulesJson(rules: CategoryRules): NonNullable<SafetyRulesJson["categories"]> {
  return mapCategories(rules, (rule): CategoryRuleJson => (typeof rule === "object" ? toThresholdsJson(rule) : rule));
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
