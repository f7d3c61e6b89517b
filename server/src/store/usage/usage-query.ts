import { firstIdAt } from "@trunkline/core/id.ts";
import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";

/**
 * What usage is summed from: each request counted once, for the model that finished it, and what was used of each model
 * for that model. A request of one leg is one piece. One of several is a piece that has no tokens and no cost, and a piece
 * for each leg that counts as no request. `requests` and `legs` are tables, or what looks like them.
 */
export function usageRows(requests: string, legs: string): string {
  const unlessLegs = (column: string) =>
    `CASE WHEN price_version = '${PRICED_BY_SEGMENTS}' THEN 0 ELSE ${column} END AS ${column}`;
  return `SELECT id, created_at, account_id, key_id, coalesce(model, '') AS model, coalesce(provider, '') AS provider, task,
      (status < 400)::int AS requests, (status >= 400 AND status <> 499)::int AS errors,
      ${unlessLegs("input_tokens")}, ${unlessLegs("output_tokens")}, ${unlessLegs("cost")},
      CASE WHEN status < 400 THEN latency_ms ELSE 0 END AS latency_ms
    FROM ${requests}
    UNION ALL
    SELECT r.id, r.created_at, r.account_id, r.key_id, l.model, l.provider, r.task, 0, 0, l.input_tokens, l.output_tokens, l.cost, 0
    FROM ${legs} l JOIN ${requests} r ON r.id = l.request_id`;
}

export interface UsageRange {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

/** Whose requests, and which of them, are counted; what is undefined lets everything pass. */
export interface UsageFilter {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly keyId?: string | undefined;
  readonly task?: string | undefined;
}

export const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 96 * QUARTER_MS;
/**
 * A request's id is made at the moment it arrives, and so a range of time is a range of ids. Early versions read the
 * clock twice, once for either: the records they left are found as long as the two lie no further apart than this.
 */
export const ID_MARGIN_MS = 5 * 60 * 1000;

/** The requests of an account one by one, and leg by leg, in the columns of the sums. */
const SINGLE_REQUESTS = `(SELECT *, date_bin('15 minutes', created_at, 'epoch') AS quarter FROM (${usageRows("requests", "request_legs")}) AS piece) AS single`;
const MEASURES = "requests, errors, input_tokens, output_tokens, cost";
const DIMENSIONS = "key_id, model, provider, task";

/** What closed days were summed into: by quarter for the account as a whole, or by day for each key, model and task. By both, nothing was. */
const CLOSED = {
  quarters: { table: "usage_account_quarters", column: "quarter", spanMs: QUARTER_MS, names: "quarter" },
  days: { table: "usage_days", column: "day", spanMs: DAY_MS, names: DIMENSIONS },
  pieces: { table: "usage_quarters", column: "quarter", spanMs: QUARTER_MS, names: `quarter, ${DIMENSIONS}` },
} as const;

/** A statement and what belongs into its places. */
interface UsageStatement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * The statement that gives what an account has used in a range, piece by piece, and its values. With `quarters` the pieces
 * say when, with `days` they say by which key, model, provider and task, with `pieces` they say both. Without names nothing
 * can be filtered by them.
 */
export function usageQuery(
  accountId: string,
  range: UsageRange,
  closedUntil: Date | undefined,
  by: keyof typeof CLOSED,
  filter: UsageFilter = {},
): UsageStatement {
  const { table, column, spanMs, names } = CLOSED[by];
  const { closed, quarters, edges } = splitRange(range, closedUntil, spanMs);
  const values: unknown[] = [accountId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const passes = conditionsOf(filter, place);
  const boundOf = (name: string, ms: number) =>
    name === "day" ? `(${place(new Date(ms))}::timestamptz AT TIME ZONE 'UTC')::date` : place(new Date(ms));
  const read = (from: string, name: string, span: Span, more = "") =>
    `SELECT ${names}, ${MEASURES} FROM ${from} WHERE account_id = $1${passes}${more}` +
    (span.from === -Infinity ? "" : ` AND ${name} >= ${boundOf(name, span.from)}`) +
    (span.to === Infinity ? "" : ` AND ${name} < ${boundOf(name, span.to)}`);
  const parts = [
    ...closed.map((span) => read(table, column, span)),
    ...quarters.map((span) => read("usage_quarters", "quarter", span)),
    ...edges.map((span) => read(SINGLE_REQUESTS, "created_at", span, idsOf(span, place))),
  ];
  return { sql: parts.join(" UNION ALL "), values };
}

/**
 * The same for who draws a series: each piece says when (`at`) and by which key, model, provider and task. `cuts` are the
 * moments at which one part of the series ends and the next begins: a closed day that none of them cuts is one piece.
 */
export function usageSeriesQuery(
  accountId: string,
  range: UsageRange,
  closedUntil: Date | undefined,
  cuts: readonly number[],
  filter: UsageFilter = {},
): UsageStatement {
  const split = splitRange(range, closedUntil, QUARTER_MS);
  const { days, rest } = splitWholeDays(split.closed, cuts);
  const values: unknown[] = [accountId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const passes = conditionsOf(filter, place);
  const dayOf = (ms: number) => `(${place(momentOf(ms))}::timestamptz AT TIME ZONE 'UTC')::date`;
  // One statement for each span: where the ends are known beforehand, the store knows how to find what lies between.
  const parts = [
    ...days.map(
      ({ from, to }) => `SELECT (day::timestamp AT TIME ZONE 'UTC') AS at, ${DIMENSIONS}, ${MEASURES} FROM usage_days
        WHERE account_id = $1${passes} AND day >= ${dayOf(from)} AND day < ${dayOf(to)}`,
    ),
    ...[...rest, ...split.quarters].map(
      ({ from, to }) => `SELECT quarter AS at, ${DIMENSIONS}, ${MEASURES} FROM usage_quarters
        WHERE account_id = $1${passes} AND quarter >= ${place(momentOf(from))} AND quarter < ${place(momentOf(to))}`,
    ),
    ...split.edges.map(
      (span) => `SELECT quarter AS at, ${DIMENSIONS}, ${MEASURES} FROM ${SINGLE_REQUESTS} WHERE account_id = $1${passes}
        AND created_at >= ${place(new Date(span.from))} AND created_at < ${place(new Date(span.to))}${idsOf(span, place)}`,
    ),
  ];
  return { sql: parts.join(" UNION ALL "), values };
}

type Place = (value: unknown) => string;

function conditionsOf({ model, provider, keyId, task }: UsageFilter, place: Place): string {
  return Object.entries({ model, provider, key_id: keyId, task })
    .map(([column, value]) => (value === undefined ? "" : ` AND ${column} = ${place(value)}`))
    .join("");
}

function idsOf({ from, to }: Span, place: Place): string {
  return ` AND id >= ${place(firstIdAt(from - ID_MARGIN_MS))} AND id < ${place(firstIdAt(to + ID_MARGIN_MS))}`;
}

function momentOf(ms: number): Date | string {
  if (ms === -Infinity) return "-infinity";
  return ms === Infinity ? "infinity" : new Date(ms);
}

/** The whole days of UTC in what is closed that no cut goes through, and what is left beside them. */
function splitWholeDays(
  closed: readonly Span[],
  cuts: readonly number[],
): { readonly days: Span[]; readonly rest: Span[] } {
  const days: Span[] = [];
  const rest: Span[] = [];
  for (const span of closed) {
    const inside = cuts.filter((cut) => cut > span.from && cut < span.to);
    let from = span.from;
    for (const to of [...inside, span.to]) {
      const whole = { from: roundUp(from, DAY_MS), to: roundDown(to, DAY_MS) };
      if (isNonEmpty(whole)) {
        append(rest, { from, to: whole.from });
        append(days, whole);
        append(rest, { from: whole.to, to });
      } else append(rest, { from, to });
      from = to;
    }
  }
  return { days, rest };
}

/** Spans that follow each other become one. */
function append(spans: Span[], span: Span): void {
  if (!isNonEmpty(span)) return;
  const last = spans.at(-1);
  if (last?.to === span.from) spans[spans.length - 1] = { from: last.from, to: span.to };
  else spans.push(span);
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
  ].filter(isNonEmpty);
  const closed = {
    from: roundUp(from, spanMs),
    to: Math.min(roundDown(to, spanMs), closedUntil?.getTime() ?? -Infinity),
  };
  if (!isNonEmpty(closed)) return { closed: [], quarters: [{ from, to }], edges };
  const quarters = [
    { from, to: closed.from },
    { from: closed.to, to },
  ].filter(isNonEmpty);
  return { closed: [closed], quarters, edges };
}

const isNonEmpty = ({ from, to }: Span) => from < to;
const roundUp = (ms: number, spanMs: number) => Math.ceil(ms / spanMs) * spanMs;
const roundDown = (ms: number, spanMs: number) => Math.floor(ms / spanMs) * spanMs;

/** Days of UTC as ISO dates, both inclusive; undefined: open at that end. */
export interface DaySpan {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * The statement that gives what all clients together have used of some providers' models, piece by piece, by day of UTC.
 * `place` takes a value and gives the place that stands for it.
 */
export function providerUsageQuery(
  providers: readonly string[],
  { from, to }: DaySpan,
  closedUntil: Date | undefined,
  place: (value: unknown) => string,
): string {
  const names = place(providers);
  const until = closedUntil?.toISOString().slice(0, 10);
  const midnight = (day: string, later = 0) => `((${day}::date + ${later})::timestamp AT TIME ZONE 'UTC')`;
  const quarters = `SELECT provider, model, (quarter AT TIME ZONE 'UTC')::date AS day, requests, errors, input_tokens + output_tokens AS tokens
    FROM usage_quarters WHERE provider = ANY (${names})
      ${until === undefined ? "" : `AND quarter >= ${midnight(place(until))}`}
      ${from === undefined ? "" : `AND quarter >= ${midnight(place(from))}`}
      ${to === undefined ? "" : `AND quarter < ${midnight(place(to), 1)}`}`;
  if (until === undefined) return quarters;
  return `${quarters} UNION ALL
    SELECT provider, model, day, requests, errors, input_tokens + output_tokens
    FROM usage_days WHERE provider = ANY (${names}) AND day < ${place(until)}
      ${from === undefined ? "" : `AND day >= ${place(from)}`} ${to === undefined ? "" : `AND day <= ${place(to)}`}`;
}
