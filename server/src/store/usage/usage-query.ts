import { firstIdAt } from "@trunkline/core/id.ts";
import { listColumns } from "../database/sql.ts";
import { DIMENSIONS, ROLLUP_COLUMNS, usageRows } from "./usage-columns.ts";

export interface UsageRange {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

/** Which usage is counted; an undefined field admits all. */
export interface UsageFilter {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly keyId?: string | undefined;
  readonly task?: string | undefined;
  /** Those with all of these tags. */
  readonly tags?: readonly TagFilter[] | undefined;
}

/** Requests with a tag of this name, and of this text if one is given. */
export interface TagFilter {
  readonly name: string;
  readonly value: string | undefined;
}

export const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 96 * QUARTER_MS;
/**
 * A request's id has the time of its arrival, so a range of time is a range of ids. Early versions read the clock twice,
 * for the id and for `created_at`: their requests are found as long as the two differ by no more than this.
 */
export const ID_MARGIN_MS = 5 * 60 * 1000;

/** Requests and segments one by one, in the columns of the rollups. */
const SINGLE_REQUESTS = `(SELECT *, date_bin('15 minutes', created_at, 'epoch') AS quarter FROM (${usageRows("requests", "request_legs")}) AS used) AS single`;
/** The same with tags, which no rollup has. */
const TAGGED_REQUESTS = `(SELECT *, date_bin('15 minutes', created_at, 'epoch') AS quarter FROM (${usageRows("requests", "request_legs", true)}) AS used) AS single`;
const MEASURES = listColumns(ROLLUP_COLUMNS);

/** The rollups of closed days: by quarter for the whole account, or by day and dimension. For quarter and dimension there is none. */
const CLOSED = {
  quarters: { table: "usage_account_quarters", column: "quarter", spanMs: QUARTER_MS, names: "quarter" },
  days: { table: "usage_days", column: "day", spanMs: DAY_MS, names: DIMENSIONS },
  pieces: { table: "usage_quarters", column: "quarter", spanMs: QUARTER_MS, names: `quarter, ${DIMENSIONS}` },
} as const;

const MEASURE_TYPES = ROLLUP_COLUMNS.map((name) => `${name} bigint`).join(", ");
const DIMENSION_TYPES = "key_id uuid, model text, provider text, task text";

/** The columns of what the statements below select, with their types. */
export const USAGE_TYPES = {
  quarters: `quarter timestamptz, ${MEASURE_TYPES}`,
  days: `${DIMENSION_TYPES}, ${MEASURE_TYPES}`,
  pieces: `quarter timestamptz, ${DIMENSION_TYPES}, ${MEASURE_TYPES}`,
  tagged: `quarter timestamptz, ${DIMENSION_TYPES}, ${MEASURE_TYPES}, tags jsonb`,
  series: `at timestamptz, ${DIMENSION_TYPES}, ${MEASURE_TYPES}`,
  taggedSeries: `at timestamptz, ${DIMENSION_TYPES}, ${MEASURE_TYPES}, tags jsonb`,
  providers: "provider text, model text, day date, requests bigint, errors bigint, tokens bigint",
} as const;

/** A statement and its parameters. */
interface UsageStatement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Selects the usage of an account in a range, as rows to be summed. With `quarters` a row has its time, with `days` its key,
 * model, provider and task, with `pieces` both. A filter needs the columns that it filters by; one by tags reads the
 * requests themselves, whose rows have their tags as well.
 */
export function usageQuery(
  accountId: string,
  range: UsageRange,
  closedUntil: Date | undefined,
  by: keyof typeof CLOSED,
  filter: UsageFilter = {},
): UsageStatement {
  const { table, column, spanMs, names } = CLOSED[by];
  const values: unknown[] = [accountId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const passes = filterConditions(filter, place);
  if (filter.tags !== undefined) return { sql: taggedQuery(`quarter, ${DIMENSIONS}`, range, passes, place), values };
  const { closed, quarters, edges } = splitRange(range, closedUntil, spanMs);
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
 * The same for a series: each row has its time (`at`), key, model, provider and task. `cuts` are the moments between two
 * buckets of the series: a closed day without a cut is one row.
 */
export function usageSeriesQuery(
  accountId: string,
  range: UsageRange,
  closedUntil: Date | undefined,
  cuts: readonly number[],
  filter: UsageFilter = {},
): UsageStatement {
  const values: unknown[] = [accountId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const passes = filterConditions(filter, place);
  if (filter.tags !== undefined)
    return { sql: taggedQuery(`created_at AS at, ${DIMENSIONS}`, range, passes, place), values };
  const split = splitRange(range, closedUntil, QUARTER_MS);
  const { days, rest } = splitWholeDays(split.closed, cuts);
  const dayOf = (ms: number) => `(${place(momentOf(ms))}::timestamptz AT TIME ZONE 'UTC')::date`;
  // One SELECT for each span: with fixed bounds the planner goes by the index.
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

/** The conditions of a filter. */
export function filterConditions({ model, provider, keyId, task, tags }: UsageFilter, place: Place): string {
  const columns = Object.entries({ model, provider, key_id: keyId, task }).map(([column, value]) =>
    value === undefined ? "" : ` AND ${column} = ${place(value)}`,
  );
  return [...columns, ...tagConditions(tags, place).map((condition) => ` AND ${condition}`)].join("");
}

/** The conditions of a filter by tags. */
export function tagConditions(tags: readonly TagFilter[] | undefined, place: Place): string[] {
  if (tags === undefined) return [];
  const each = tags.map(({ name, value }) =>
    value === undefined
      ? `tags ? ${place(name)}`
      : `tags @> jsonb_build_object(${place(name)}::text, ${place(value)}::text)`,
  );
  return ["tags IS NOT NULL", ...each];
}

function taggedQuery(names: string, { from, to }: UsageRange, passes: string, place: Place): string {
  const bounds = [
    from === undefined
      ? ""
      : ` AND created_at >= ${place(from)} AND id >= ${place(firstIdAt(from.getTime() - ID_MARGIN_MS))}`,
    to === undefined ? "" : ` AND created_at < ${place(to)} AND id < ${place(firstIdAt(to.getTime() + ID_MARGIN_MS))}`,
  ];
  return `SELECT ${names}, ${MEASURES}, tags FROM ${TAGGED_REQUESTS} WHERE account_id = $1${passes}${bounds.join("")}`;
}

function idsOf({ from, to }: Span, place: Place): string {
  return ` AND id >= ${place(firstIdAt(from - ID_MARGIN_MS))} AND id < ${place(firstIdAt(to + ID_MARGIN_MS))}`;
}

function momentOf(ms: number): Date | string {
  if (ms === -Infinity) return "-infinity";
  return ms === Infinity ? "infinity" : new Date(ms);
}

/** Splits closed spans into whole days of UTC without a cut, and the rest. */
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

/** Joins a span to the one before it where they touch. */
function append(spans: Span[], span: Span): void {
  if (!isNonEmpty(span)) return;
  const last = spans.at(-1);
  if (last?.to === span.from) spans[spans.length - 1] = { from: last.from, to: span.to };
  else spans.push(span);
}

/** From a moment, inclusive, to another, exclusive, in milliseconds; unbounded at an infinite end. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface SplitRange {
  /** Whole days, or quarters of an hour, that are closed. */
  readonly closed: readonly Span[];
  /** Other whole quarters. */
  readonly quarters: readonly Span[];
  /** The parts of quarters at either end of the range. */
  readonly edges: readonly Span[];
}

/** Splits a range into closed spans, other whole quarters, and parts of quarters at its ends. */
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
 * Selects the usage of some providers' models by all clients, by day of UTC, as rows to be summed. `place` adds a parameter
 * and returns its placeholder.
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
