import { z } from "zod";

/** The member states of the European Union, by ISO 3166. */
const EU_MEMBERS: ReadonlySet<string> = new Set(
  "at be bg hr cy cz de dk ee es fi fr gr hu ie it lt lu lv mt nl pl pt ro se si sk".split(" "),
);
const EEA_ONLY: ReadonlySet<string> = new Set(["is", "li", "no"]);

/**
 * Who says where a model's requests are processed and for how long they are kept: the account that registered it, the
 * operator, or what the provider has published. Nothing here checks it.
 */
export const CLAIMANTS = ["provider", "operator", "documentation"] as const;

/** What is claimed of what a model's provider does with the data of requests. */
export interface DataClaim {
  /** Where it is processed, all of it: country codes in lower case, `eu` or `eea`; undefined: not claimed. */
  readonly regions: readonly string[] | undefined;
  /** For how many days the provider keeps it; 0: not at all; undefined: not claimed. */
  readonly retentionDays: number | undefined;
  /** Where it can be read; undefined: nowhere. */
  readonly source?: string | undefined;
  /** Known from what the provider has published, and not said by the account that offers it. */
  readonly isDocumented?: boolean | undefined;
}

/** What may become of the data of requests. It bounds which models may serve. */
export interface DataRules {
  /** Only where all of these are claimed; undefined: anywhere. Empty: what several rules leave together is nothing. */
  readonly regions: readonly string[] | undefined;
  /** Kept for at most as many days; undefined: for any time. */
  readonly retentionDays: number | undefined;
}

export const RETENTION_DAYS_MAX = 36_500;

export const regionSchema = z
  .string()
  .regex(/^[A-Za-z]{2,3}$/, "must be a country's two letters by ISO 3166, `eu` or `eea`")
  .transform((region) => region.toLowerCase())
  .refine((region) => region.length === 2 || region === "eea", "must be two letters, or `eea`");

const retentionSchema = z.int().min(0).max(RETENTION_DAYS_MAX);

/** The rules of an account or a key, in the API. */
export const dataRulesSchema = z.object({
  regions: z
    .array(regionSchema)
    .min(1)
    .max(64)
    .nullable()
    .optional()
    .describe("Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere."),
  retention_days: retentionSchema
    .nullable()
    .optional()
    .describe("For how many days a provider may keep the data of requests. 0: not at all. null: any time."),
});

export const dataRulesResponseSchema = z.object({
  regions: z.array(z.string()).nullable(),
  retention_days: z.number().nullable(),
});

/** What the owner of a model claims, in the API. */
export const dataClaimSchema = z.object({
  regions: z
    .array(regionSchema)
    .min(1)
    .max(64)
    .optional()
    .describe("All places where requests are processed: countries by ISO 3166, `eu` or `eea`."),
  retention_days: retentionSchema.optional().describe("For how many days the data of requests is kept. 0: not at all."),
  source: z
    .url({ protocol: /^https$/ })
    .max(2_048)
    .optional()
    .describe("Where it can be read."),
});

export function toDataClaim(body: z.infer<typeof dataClaimSchema>): DataClaim | undefined {
  const { regions, retention_days: retentionDays, source } = body;
  return regions === undefined && retentionDays === undefined ? undefined : { regions, retentionDays, source };
}

const storedClaimSchema = dataClaimSchema.extend({ documented: z.boolean().optional() });

/** A stored claim. One that can't be parsed claims nothing. */
export function parseStoredDataClaim(stored: unknown): DataClaim | undefined {
  const parsed = storedClaimSchema.safeParse(stored);
  const claim = parsed.success ? toDataClaim(parsed.data) : undefined;
  return claim === undefined || parsed.data?.documented !== true ? claim : { ...claim, isDocumented: true };
}

export function toStoredDataClaim(claim: DataClaim) {
  const { regions, retentionDays, source, isDocumented } = claim;
  return { regions, retention_days: retentionDays, source, documented: isDocumented };
}

export function toDataRules(body: z.infer<typeof dataRulesSchema>): DataRules | undefined {
  const regions = body.regions ?? undefined;
  const retentionDays = body.retention_days ?? undefined;
  return regions === undefined && retentionDays === undefined ? undefined : { regions, retentionDays };
}

export function toDataRulesJson(rules: DataRules | undefined): {
  regions: string[] | null;
  retention_days: number | null;
} {
  return {
    regions: rules?.regions === undefined ? null : [...rules.regions],
    retention_days: rules?.retentionDays ?? null,
  };
}

/** Stored rules. What can't be parsed forbids everything: a bound is never lost because a newer version wrote it. */
export function parseStoredDataRules(stored: unknown): DataRules | undefined {
  if (stored === null || stored === undefined) return undefined;
  const parsed = dataRulesSchema.safeParse(stored);
  return parsed.success ? toDataRules(parsed.data) : { regions: [], retentionDays: 0 };
}

/** Both rules together: none of them can be loosened by the other. */
export function joinDataRules(one: DataRules | undefined, other: DataRules | undefined): DataRules | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    regions: joinRegions(one.regions, other.regions),
    retentionDays:
      one.retentionDays === undefined || other.retentionDays === undefined
        ? (one.retentionDays ?? other.retentionDays)
        : Math.min(one.retentionDays, other.retentionDays),
  };
}

/** Whether rules allow no more than others do. */
export function areWithinDataRules(rules: DataRules | undefined, bound: DataRules | undefined): boolean {
  if (bound === undefined) return true;
  const { regions, retentionDays } = bound;
  return (
    (regions === undefined || rules?.regions?.every((region) => isWithinAny(region, regions)) === true) &&
    (retentionDays === undefined || (rules?.retentionDays ?? Number.POSITIVE_INFINITY) <= retentionDays)
  );
}

function joinRegions(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return [
    ...new Set([
      ...one.filter((region) => isWithinAny(region, other)),
      ...other.filter((region) => isWithinAny(region, one)),
    ]),
  ];
}

function isWithinAny(region: string, wider: readonly string[]): boolean {
  return wider.some((one) => isWithin(region, one));
}

function isWithin(region: string, wider: string): boolean {
  if (region === wider) return true;
  if (wider === "eu") return EU_MEMBERS.has(region);
  return wider === "eea" && (region === "eu" || EU_MEMBERS.has(region) || EEA_ONLY.has(region));
}

/** Why a model does not keep the rules; undefined: it claims to. */
export function brokenDataRule(rules: DataRules, claim: DataClaim | undefined): string | undefined {
  const { regions, retentionDays } = rules;
  if (regions !== undefined) {
    if (claim?.regions === undefined)
      return `it does not say where it processes data, and only ${wordsOf(regions)} allowed`;
    const outside = claim.regions.filter((region) => !isWithinAny(region, regions));
    if (outside.length > 0) return `it processes data in ${outside.join(", ")}, and only ${wordsOf(regions)} allowed`;
  }
  if (retentionDays !== undefined) {
    const words = retentionDays === 0 ? "none is allowed" : `at most ${retentionDays} days are allowed`;
    if (claim?.retentionDays === undefined) return `it does not say how long it keeps data, and ${words}`;
    if (claim.retentionDays > retentionDays) return `it keeps data for ${claim.retentionDays} days, and ${words}`;
  }
  return undefined;
}

function wordsOf(regions: readonly string[]): string {
  if (regions.length === 0) return "no place that the account, the key and the request have in common is";
  return `${regions.join(", ")} ${regions.length === 1 ? "is" : "are"}`;
}
