import { isoDate } from "@trunkline/core/iso-date.ts";
import { z } from "zod";
import type { Comparison, Subject, Tally } from "../../../ledger/reconciliation.ts";
import type { KeptComparison, ReconciledUse } from "../../../store/usage/reconciled-usage.ts";
import { refuseCursor } from "../../responses/list-page.ts";

function subjectToWire({ model, day: ofDay }: Subject) {
  return { model: model ?? null, day: ofDay ?? null };
}

function tallyToWire({ requests, tokens }: Tally) {
  return { requests, tokens_processed: tokens };
}

function differenceOf(reported: Tally, counted: Tally) {
  return tallyToWire({
    requests: reported.requests - counted.requests,
    tokens: reported.tokens - counted.tokens,
  });
}

/** A report as its provider sees it, beside what we counted. */
export function comparisonToWire(made: Comparison) {
  return {
    ...subjectToWire(made),
    reported: tallyToWire(made.reported),
    counted: tallyToWire(made.counted),
    difference: differenceOf(made.reported, made.counted),
    flagged: made.flagged,
    provisional: made.provisional,
  };
}

/** The same as the operator sees it. */
export function flaggedToWire(kept: KeptComparison) {
  return {
    id: kept.id,
    account_id: kept.accountId,
    provider: kept.provider,
    ...comparisonToWire(kept),
    reported_at: kept.reportedAt.toISOString(),
  };
}

/** What was counted of a model on a day, beside the newest report of it. */
export function useToWire({ reported, ...use }: ReconciledUse) {
  return {
    provider: use.provider,
    ...subjectToWire(use),
    reported: reported === undefined ? null : tallyToWire(reported),
    counted: tallyToWire(use.counted),
    difference: reported === undefined ? null : differenceOf(reported, use.counted),
    flagged: use.flagged,
    provisional: use.provisional,
    reported_at: use.reportedAt?.toISOString() ?? null,
  };
}

/** The columns of the same rows as CSV. */
export const USE_COLUMNS = [
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

export function useToCsv(use: ReconciledUse): Record<string, string | number> {
  const { counted, reported, difference, ...row } = useToWire(use);
  const named = (name: string, tallied: ReturnType<typeof tallyToWire> | null) =>
    Object.entries(tallied ?? {}).map(([field, value]) => [`${name}_${field}`, value]);
  return Object.fromEntries([
    ...Object.entries(row).map(([field, value]) => [field, String(value ?? "")]),
    ...named("counted", counted),
    ...named("reported", reported),
    ...named("difference", difference),
  ]);
}

/** The place after a row: clients hand it back as it is. */
export function cursorOf({ day: ofDay, provider, model }: Subject): string {
  return Buffer.from(JSON.stringify([ofDay ?? null, provider, model ?? null])).toString("base64url");
}

const cursorParts = z.tuple([isoDate.nullable(), z.string(), z.string().nullable()]);

/** The row that a cursor was made from. */
export function subjectAt(cursor: string): Subject {
  const parts = cursorParts.safeParse(parse(Buffer.from(cursor, "base64url").toString()));
  if (!parts.success || parts.data.join("").includes("\0")) throw refuseCursor();
  const [ofDay, provider, model] = parts.data;
  return { day: ofDay ?? undefined, provider, model: model ?? undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever is no JSON was never a cursor of ours.
    return undefined;
  }
}
