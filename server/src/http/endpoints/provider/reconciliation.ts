import { isoDateSchema } from "@trunkline/core/iso-date.ts";
import { z } from "zod";
import type { UsageReport } from "../../../ledger/reconciler.ts";
import { toCsv, wantsCsv } from "../../responses/csv.ts";
import { listPage, pageQuery, pageResponseSchema, toPage } from "../../responses/list-page.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import {
  parseReconciledDayCursor,
  RECONCILED_DAY_COLUMNS,
  reconciledDayCursor,
  toComparisonResponse,
  toFlaggedComparisonResponse,
  toReconciledDayCsv,
  toReconciledDayResponse,
} from "./show-comparison.ts";

const REPORTS_MAX = 1_000;

const countSchema = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const countFields = { requests: countSchema, tokens_processed: countSchema };
const modelReferenceSchema = z
  .string()
  .min(1)
  .max(256)
  .describe("One of your own models; absent: all of them.");
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
  .superRefine(({ usage, model, day: ofDay, reports }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (reports === undefined) {
      if (usage === undefined) refuse("usage", "is required");
      return;
    }
    if (usage !== undefined) refuse("reports", "can't stand beside `usage`: send one of the two");
    if (model !== undefined) refuse("model", "belongs into each of `reports`");
    if (ofDay !== undefined) refuse("day", "belongs into each of `reports`");
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
    const made = await services.reconciler.report(caller, toReports(body));
    const shown = made.map(toComparisonResponse);
    return body.reports === undefined ? shown[0] : { reports: shown };
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
      query.model === undefined ? undefined : await services.reconciler.findModel(caller, query.model);
    const providers = model === undefined ? await services.reconciler.providersOf(caller) : [model.provider];
    const filter = { providers, model: model?.name, from, to };
    if (wantsCsv(request)) {
      const all = await services.reconciledUsage.list(filter, Number.MAX_SAFE_INTEGER, undefined);
      return new Reply(
        200,
        toCsv(RECONCILED_DAY_COLUMNS, all.map(toReconciledDayCsv)),
        "text/csv; charset=utf-8",
      );
    }
    const after = cursor === undefined ? undefined : parseReconciledDayCursor(cursor);
    const uses = await services.reconciledUsage.list(filter, limit + 1, after);
    return toPage(uses, limit, toReconciledDayResponse, reconciledDayCursor);
  },
});

const listFlagged = controlEndpoint({
  method: "GET",
  path: "/v1/admin/providers/reconciliation",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Reports of all providers that are too far from our count",
  description:
    "Newest first. One that was followed by a newer report of the same model and day is not listed.",
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
    listPage(
      query,
      (limit, cursor) => services.reconciledUsage.flagged(limit, cursor),
      toFlaggedComparisonResponse,
    ),
});

function toReports({ usage, model, day: ofDay, reports }: z.output<typeof reportUsageSchema>): UsageReport[] {
  const drafts = reports ?? [{ ...usage, model, day: ofDay }];
  return drafts.map((draft, index) => ({
    paramPrefix: reports === undefined ? "" : `reports[${index}].`,
    model: draft.model,
    day: draft.day,
    reported: { requests: draft.requests ?? 0, tokens: draft.tokens_processed ?? 0 },
  }));
}

export const reconciliationEndpoints: readonly Endpoint[] = [reportUsage, readReconciledUsage, listFlagged];
