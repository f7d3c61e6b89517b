import { isoDateSchema } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import type { UsageComparison, UsageCount, UsageReport, UsageScope } from "../../../ledger/reconciliation.ts";
import type { ReconciledDay, StoredComparison } from "../../../store/usage/reconciliation.ts";
import {
  invalidCursorFault,
  listPage,
  pageQuery,
  pageResponseSchema,
  toCsv,
  toPage,
  wantsCsv,
} from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";

function toScopeFields({ model, day }: UsageScope) {
  return { model: model ?? null, day: day ?? null };
}

function toUsageCountResponse({ requests, tokens }: UsageCount) {
  return { requests, tokens_processed: tokens };
}

function differenceBetween(reported: UsageCount, counted: UsageCount) {
  return toUsageCountResponse({
    requests: reported.requests - counted.requests,
    tokens: reported.tokens - counted.tokens,
  });
}

/** A provider's report and our count, as the provider sees them. */
function toComparisonResponse(comparison: UsageComparison) {
  return {
    ...toScopeFields(comparison),
    reported: toUsageCountResponse(comparison.reported),
    counted: toUsageCountResponse(comparison.counted),
    difference: differenceBetween(comparison.reported, comparison.counted),
    flagged: comparison.flagged,
    provisional: comparison.provisional,
  };
}

/** A provider's report and our count, as the operator sees them. */
function toFlaggedComparisonResponse(comparison: StoredComparison) {
  return {
    id: comparison.id,
    account_id: comparison.accountId,
    provider: comparison.provider,
    ...toComparisonResponse(comparison),
    reported_at: comparison.reportedAt.toISOString(),
  };
}

/** Our count of a model's usage on a day, and the newest report for it. */
function toReconciledDayResponse({ reported, ...row }: ReconciledDay) {
  return {
    provider: row.provider,
    ...toScopeFields(row),
    reported: reported === undefined ? null : toUsageCountResponse(reported),
    counted: toUsageCountResponse(row.counted),
    difference: reported === undefined ? null : differenceBetween(reported, row.counted),
    flagged: row.flagged,
    provisional: row.provisional,
    reported_at: row.reportedAt?.toISOString() ?? null,
  };
}

/** The CSV columns of those rows. */
const RECONCILED_DAY_COLUMNS = [
  "provider",
  "model",
  "day",
  "counted_requests",
  "counted_tokens_processed",
  "reported_requests",
  "reported_tokens_processed",
  "difference_requests",
  "difference_tokens_processed",
  "flagged",
  "provisional",
  "reported_at",
];

function toReconciledDayCsv(reconciledDay: ReconciledDay): Record<string, string | number> {
  const { counted, reported, difference, ...row } = toReconciledDayResponse(reconciledDay);
  const named = (name: string, count: ReturnType<typeof toUsageCountResponse> | null) =>
    Object.entries(count ?? {}).map(([field, value]) => [`${name}_${field}`, value]);
  return Object.fromEntries([
    ...Object.entries(row).map(([field, value]) => [field, String(value ?? "")]),
    ...named("counted", counted),
    ...named("reported", reported),
    ...named("difference", difference),
  ]);
}

/** The cursor of the rows after this one. */
function reconciledDayCursor({ day, provider, model }: UsageScope): string {
  return Buffer.from(JSON.stringify([day ?? null, provider, model ?? null])).toString("base64url");
}

const cursorSchema = z.tuple([isoDateSchema.nullable(), z.string(), z.string().nullable()]);

/** The row that a cursor was made from. */
function parseReconciledDayCursor(cursor: string): UsageScope {
  const parts = cursorSchema.safeParse(parseJsonOrUndefined(Buffer.from(cursor, "base64url").toString()));
  if (!parts.success || parts.data.join("").includes("\0")) throw invalidCursorFault();
  const [day, provider, model] = parts.data;
  return { day: day ?? undefined, provider, model: model ?? undefined };
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON is not a cursor of ours; the schema refuses undefined.
    return undefined;
  }
}

const REPORTS_MAX = 1_000;

const countSchema = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const countFields = { requests: countSchema, tokens_processed: countSchema };
const modelReferenceSchema = z.string().min(1).max(256).describe("One of your own models; absent: all of them.");
const daySchema = isoDateSchema.describe("A day of UTC; absent: all time.");

const reportUsageSchema = z
  .object({
    usage: z.object(countFields).optional(),
    model: modelReferenceSchema.optional(),
    day: daySchema.optional(),
    reports: z
      .array(z.object({ model: modelReferenceSchema.optional(), day: daySchema.optional(), ...countFields }))
      .min(1)
      .max(REPORTS_MAX)
      .optional()
      .describe("Many reports at once, instead of `usage`."),
  })
  .superRefine(({ usage, model, day, reports }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (reports === undefined) {
      if (usage === undefined) refuse("usage", "is required");
      return;
    }
    if (usage !== undefined) refuse("reports", "can't stand beside `usage`: send one of the two");
    if (model !== undefined) refuse("model", "belongs into each of `reports`");
    if (day !== undefined) refuse("day", "belongs into each of `reports`");
  });

const usageCountSchema = z.object({ requests: z.number(), tokens_processed: z.number() });
const scopeFields = {
  model: z.string().nullable().describe("null: all models."),
  day: z.string().nullable().describe("null: all time."),
};
const comparisonSchema = z.object({
  ...scopeFields,
  reported: usageCountSchema,
  counted: usageCountSchema,
  difference: usageCountSchema.describe("Yours less ours."),
  flagged: z.boolean().describe("The two are further apart than is allowed."),
  provisional: z.boolean().describe("The day was not over; nothing is flagged."),
});

const reportUsage = controlEndpoint({
  method: "POST",
  path: "/v1/provider/usage",
  permission: "provider.change",
  audit: { action: "usage.report" },
  status: 200,
  tag: "Providers",
  summary: "Report your own count of what was used",
  description:
    "Of all time and all your models, or of one model and day; many at once with `reports`. Answers with our count, the difference (yours less ours), and whether it is beyond the threshold. A newer report of the same model and day replaces the one before.",
  faults: ["not_found"],
  body: reportUsageSchema,
  response: z.union([comparisonSchema, z.object({ reports: z.array(comparisonSchema) })]),
  async handle({ services, caller, body }) {
    const comparisons = await services.ledger.reconciler.report(caller, toReports(body));
    const responses = comparisons.map(toComparisonResponse);
    return body.reports === undefined ? responses[0] : { reports: responses };
  },
});

const readReconciledUsage = controlEndpoint({
  method: "GET",
  path: "/v1/provider/usage",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "What was used of your models, by model and day, beside what you reported",
  description:
    "Newest days first. `counted` is ours: at the time of the report, or now where there is none. Reports of all time are there where no days are asked for. CSV with `Accept: text/csv`, of the whole range at once.",
  faults: ["not_found"],
  query: pageQuery.extend({
    from: isoDateSchema.optional().describe("The first day, of UTC."),
    to: isoDateSchema.optional().describe("The last day, which counts as well."),
    model: modelReferenceSchema.optional(),
  }),
  alternativeContentTypes: ["text/csv"],
  response: pageResponseSchema(
    comparisonSchema.extend({
      provider: z.string(),
      reported: usageCountSchema.nullable(),
      difference: usageCountSchema.nullable(),
      reported_at: z.string().nullable(),
    }),
  ),
  async handle({ services, caller, query, request }) {
    const { from, to, limit, cursor } = query;
    const model =
      query.model === undefined ? undefined : await services.ledger.reconciler.findModel(caller, query.model);
    const providers = model === undefined ? await services.ledger.reconciler.providersOf(caller) : [model.provider];
    const filter = { providers, model: model?.name, from, to };
    if (wantsCsv(request)) {
      const all = await services.usage.reconciled.list(filter, Number.MAX_SAFE_INTEGER, undefined);
      return new Reply(200, toCsv(RECONCILED_DAY_COLUMNS, all.map(toReconciledDayCsv)), "text/csv; charset=utf-8");
    }
    const after = cursor === undefined ? undefined : parseReconciledDayCursor(cursor);
    const rows = await services.usage.reconciled.list(filter, limit + 1, after);
    return toPage(rows, limit, toReconciledDayResponse, reconciledDayCursor);
  },
});

const listFlagged = controlEndpoint({
  method: "GET",
  path: "/v1/admin/providers/reconciliation",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Reports of all providers that are too far from our count",
  description: "Newest first. One that was followed by a newer report of the same model and day is not listed.",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(
    comparisonSchema.extend({
      id: z.string(),
      account_id: z.string(),
      provider: z.string(),
      reported_at: z.string(),
    }),
  ),
  handle: ({ services, query }) =>
    listPage(query, (limit, cursor) => services.usage.reconciled.flagged(limit, cursor), toFlaggedComparisonResponse),
});

function toReports({ usage, model, day, reports }: z.output<typeof reportUsageSchema>): UsageReport[] {
  const drafts = reports ?? [{ ...usage, model, day }];
  return drafts.map((draft, index) => ({
    paramPrefix: reports === undefined ? "" : `reports[${index}].`,
    model: draft.model,
    day: draft.day,
    reported: { requests: draft.requests ?? 0, tokens: draft.tokens_processed ?? 0 },
  }));
}

export const reconciliationEndpoints: readonly Endpoint[] = [reportUsage, readReconciledUsage, listFlagged];
