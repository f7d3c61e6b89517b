import { isoDateSchema } from "@trunkline/core/iso-date.ts";
import { z } from "zod";
import type { UsageComparison, UsageCount, UsageScope } from "../../../ledger/reconciliation.ts";
import type { ReconciledDay, StoredComparison } from "../../../store/usage/reconciled-usage.ts";
import { invalidCursorFault } from "../../responses/list-page.ts";

function toScopeFields({ model, day: ofDay }: UsageScope) {
  return { model: model ?? null, day: ofDay ?? null };
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

/** A report as its provider sees it, beside what we counted. */
export function toComparisonResponse(made: UsageComparison) {
  return {
    ...toScopeFields(made),
    reported: toUsageCountResponse(made.reported),
    counted: toUsageCountResponse(made.counted),
    difference: differenceBetween(made.reported, made.counted),
    flagged: made.flagged,
    provisional: made.provisional,
  };
}

/** The same as the operator sees it. */
export function toFlaggedComparisonResponse(kept: StoredComparison) {
  return {
    id: kept.id,
    account_id: kept.accountId,
    provider: kept.provider,
    ...toComparisonResponse(kept),
    reported_at: kept.reportedAt.toISOString(),
  };
}

/** What was counted of a model on a day, beside the newest report of it. */
export function toReconciledDayResponse({ reported, ...use }: ReconciledDay) {
  return {
    provider: use.provider,
    ...toScopeFields(use),
    reported: reported === undefined ? null : toUsageCountResponse(reported),
    counted: toUsageCountResponse(use.counted),
    difference: reported === undefined ? null : differenceBetween(reported, use.counted),
    flagged: use.flagged,
    provisional: use.provisional,
    reported_at: use.reportedAt?.toISOString() ?? null,
  };
}

/** The columns of the same rows as CSV. */
export const RECONCILED_DAY_COLUMNS = [
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

export function toReconciledDayCsv(use: ReconciledDay): Record<string, string | number> {
  const { counted, reported, difference, ...row } = toReconciledDayResponse(use);
  const named = (name: string, tallied: ReturnType<typeof toUsageCountResponse> | null) =>
    Object.entries(tallied ?? {}).map(([field, value]) => [`${name}_${field}`, value]);
  return Object.fromEntries([
    ...Object.entries(row).map(([field, value]) => [field, String(value ?? "")]),
    ...named("counted", counted),
    ...named("reported", reported),
    ...named("difference", difference),
  ]);
}

/** The place after a row: clients hand it back as it is. */
export function reconciledDayCursor({ day: ofDay, provider, model }: UsageScope): string {
  return Buffer.from(JSON.stringify([ofDay ?? null, provider, model ?? null])).toString("base64url");
}

const cursorSchema = z.tuple([isoDateSchema.nullable(), z.string(), z.string().nullable()]);

/** The row that a cursor was made from. */
export function parseReconciledDayCursor(cursor: string): UsageScope {
  const parts = cursorSchema.safeParse(parseJsonOrUndefined(Buffer.from(cursor, "base64url").toString()));
  if (!parts.success || parts.data.join("").includes("\0")) throw invalidCursorFault();
  const [ofDay, provider, model] = parts.data;
  return { day: ofDay ?? undefined, provider, model: model ?? undefined };
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever is no JSON was never a cursor of ours.
    return undefined;
  }
}
