import { firstIdAt } from "../kit/id.ts";

export interface UsageRange {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

export const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 96 * QUARTER_MS;
/**
 * A request's id is made at the moment it arrives, and so a range of time is a range of ids. Early versions read the
 * clock twice, once for either: the records they left are found as long as the two lie no further apart than this.
 */
export const ID_MARGIN_MS = 5 * 60 * 1000;

/** The requests of an account one by one, in the columns of the sums. */
const SINGLE = `(SELECT id, created_at, account_id, date_bin('15 minutes', created_at, 'epoch') AS quarter, key_id,
    coalesce(model, '') AS model, coalesce(provider, '') AS provider, task, (status < 400)::int AS requests,
    (status >= 400 AND status <> 499)::int AS errors, input_tokens, output_tokens, cost
  FROM requests) AS single`;
const SUMS = "requests, errors, input_tokens, output_tokens, cost";

/** What closed days were summed into: by quarter for the account as a whole, or by day for each key, model and task. */
const CLOSED = {
  quarters: { table: "usage_account_quarters", column: "quarter", spanMs: QUARTER_MS, names: "quarter" },
  days: { table: "usage_days", column: "day", spanMs: DAY_MS, names: "key_id, model, provider, task" },
} as const;

/**
 * The statement that gives what an account has used in a range, piece by piece, and its values. With `quarters` the pieces
 * say when, with `days` they say by which key, model, provider and task.
 */
export function usageIn(
  accountId: string,
  range: UsageRange,
  closedUntil: Date | undefined,
  by: keyof typeof CLOSED,
): { readonly sql: string; readonly values: readonly unknown[] } {
  const { table, column, spanMs, names } = CLOSED[by];
  const { closed, quarters, edges } = splitRange(range, closedUntil, spanMs);
  const values: unknown[] = [accountId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const momentOf = (name: string, ms: number) =>
    name === "day" ? `(${place(new Date(ms))}::timestamptz AT TIME ZONE 'UTC')::date` : place(new Date(ms));
  const read = (from: string, name: string, span: Span, more = "") =>
    `SELECT ${names}, ${SUMS} FROM ${from} WHERE account_id = $1${more}` +
    (span.from === -Infinity ? "" : ` AND ${name} >= ${momentOf(name, span.from)}`) +
    (span.to === Infinity ? "" : ` AND ${name} < ${momentOf(name, span.to)}`);
  const idsOf = ({ from, to }: Span) =>
    ` AND id >= ${place(firstIdAt(from - ID_MARGIN_MS))} AND id < ${place(firstIdAt(to + ID_MARGIN_MS))}`;
  const parts = [
    ...closed.map((span) => read(table, column, span)),
    ...quarters.map((span) => read("usage_quarters", "quarter", span)),
    ...edges.map((span) => read(SINGLE, "created_at", span, idsOf(span))),
  ];
  return { sql: parts.join(" UNION ALL "), values };
}

/** From a moment, inclusive, to another, exclusive, in milliseconds; open at an infinite end. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface SplitRange {
  /** Whole days, or quarters of an hour, that are closed. */
  readonly closed: readonly Span[];
  /** Other whole quarters. */
  readonly quarters: readonly Span[];
  /** What the range cuts off from a quarter at either end. */
  readonly edges: readonly Span[];
}

/** A range, split where its first whole quarter begins and its last one ends, and there again by what is closed. */
function splitRange(range: UsageRange, closedUntil: Date | undefined, spanMs: number): SplitRange {
  const whole = { from: range.from?.getTime() ?? -Infinity, to: range.to?.getTime() ?? Infinity };
  const [from, to] = [roundUp(whole.from, QUARTER_MS), roundDown(whole.to, QUARTER_MS)];
  if (from > to) return { closed: [], quarters: [], edges: [whole] };
  const edges = [
    { from: whole.from, to: from },
    { from: to, to: whole.to },
  ].filter(isSome);
  const closed = {
    from: roundUp(from, spanMs),
    to: Math.min(roundDown(to, spanMs), closedUntil?.getTime() ?? -Infinity),
  };
  if (!isSome(closed)) return { closed: [], quarters: [{ from, to }], edges };
  const quarters = [
    { from, to: closed.from },
    { from: closed.to, to },
  ].filter(isSome);
  return { closed: [closed], quarters, edges };
}

const isSome = ({ from, to }: Span) => from < to;
const roundUp = (ms: number, spanMs: number) => Math.ceil(ms / spanMs) * spanMs;
const roundDown = (ms: number, spanMs: number) => Math.floor(ms / spanMs) * spanMs;
