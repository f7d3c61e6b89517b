import { isoDate } from "@trunkline/core/iso-date.ts";
import { z } from "zod";
import type { Report } from "../../../ledger/reconciler.ts";
import { csvOf, wantsCsv } from "../../responses/csv.ts";
import { cutPage, listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";
import {
  comparisonToWire,
  cursorOf,
  flaggedToWire,
  subjectAt,
  USE_COLUMNS,
  useToCsv,
  useToWire,
} from "./show-comparison.ts";

const MOST_REPORTS = 1_000;

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const counts = { requests: count, tokens_processed: count };
const modelRef = z.string().min(1).max(256).describe("One of your own models; absent: all of them.");
const day = isoDate.describe("A day of UTC; absent: all time.");

const reportBody = z
  .object({
    usage: z.object(counts).optional(),
    model: modelRef.optional(),
    day: day.optional(),
    reports: z
      .array(z.object({ model: modelRef.optional(), day: day.optional(), ...counts }))
      .min(1)
      .max(MOST_REPORTS)
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

const tally = z.object({ requests: z.number(), tokens_processed: z.number() });
const subject = {
  model: z.string().nullable().describe("null: all models."),
  day: z.string().nullable().describe("null: all time."),
};
const comparison = z.object({
  ...subject,
  reported: tally,
  counted: tally,
  difference: tally.describe("Yours less ours."),
  flagged: z.boolean().describe("The two are further apart than is allowed."),
  provisional: z.boolean().describe("The day was not over; nothing is flagged."),
});

const reportUsage = control({
  method: "POST",
  path: "/v1/provider/usage",
  power: "provider.change",
  deed: { action: "usage.report" },
  status: 200,
  tag: "Providers",
  summary: "Report your own count of what was used",
  description:
    "Of all time and all your models, or of one model and day; many at once with `reports`. Answers with our count, the difference (yours less ours), and whether it is beyond the threshold. A newer report of the same model and day replaces the one before.",
  faults: ["not_found"],
  body: reportBody,
  answer: z.union([comparison, z.object({ reports: z.array(comparison) })]),
  async handle({ house, caller, body }) {
    const made = await house.reconciler.report(caller, reportsOf(body));
    const shown = made.map(comparisonToWire);
    return body.reports === undefined ? shown[0] : { reports: shown };
  },
});

const readUse = control({
  method: "GET",
  path: "/v1/provider/usage",
  power: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "What was used of your models, by model and day, beside what you reported",
  description:
    "Newest days first. `counted` is ours: at the time of the report, or now where there is none. Reports of all time are there where no days are asked for. CSV with `Accept: text/csv`, of the whole range at once.",
  faults: ["not_found"],
  query: pageQuery.extend({
    from: isoDate.optional().describe("The first day, of UTC."),
    to: isoDate.optional().describe("The last day, which counts as well."),
    model: modelRef.optional(),
  }),
  alternatives: ["text/csv"],
  answer: pageOf(
    comparison.extend({
      provider: z.string(),
      reported: tally.nullable(),
      difference: tally.nullable(),
      reported_at: z.string().nullable(),
    }),
  ),
  async handle({ house, caller, query, request }) {
    const { from, to, limit, cursor } = query;
    const model =
      query.model === undefined ? undefined : await house.reconciler.findModel(caller, query.model);
    const providers = model === undefined ? await house.reconciler.providersOf(caller) : [model.provider];
    const filter = { providers, model: model?.name, from, to };
    if (wantsCsv(request)) {
      const all = await house.reconciled.list(filter, Number.MAX_SAFE_INTEGER, undefined);
      return new Reply(200, csvOf(USE_COLUMNS, all.map(useToCsv)), "text/csv; charset=utf-8");
    }
    const after = cursor === undefined ? undefined : subjectAt(cursor);
    const uses = await house.reconciled.list(filter, limit + 1, after);
    return cutPage(uses, limit, useToWire, cursorOf);
  },
});

const listFlagged = control({
  method: "GET",
  path: "/v1/admin/providers/reconciliation",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Reports of all providers that are too far from our count",
  description:
    "Newest first. One that was followed by a newer report of the same model and day is not listed.",
  faults: [],
  query: pageQuery,
  answer: pageOf(
    comparison.extend({
      id: z.string(),
      account_id: z.string(),
      provider: z.string(),
      reported_at: z.string(),
    }),
  ),
  handle: ({ house, query }) =>
    listPage(query, (limit, cursor) => house.reconciled.flagged(limit, cursor), flaggedToWire),
});

function reportsOf({ usage, model, day: ofDay, reports }: z.output<typeof reportBody>): Report[] {
  const drafts = reports ?? [{ ...usage, model, day: ofDay }];
  return drafts.map((draft, index) => ({
    place: reports === undefined ? "" : `reports[${index}].`,
    model: draft.model,
    day: draft.day,
    reported: { requests: draft.requests ?? 0, tokens: draft.tokens_processed ?? 0 },
  }));
}

export const reconciliationEndpoints: readonly Endpoint[] = [reportUsage, readUse, listFlagged];
