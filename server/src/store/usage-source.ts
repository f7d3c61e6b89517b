import { firstIdAt } from "../kit/id.ts";

export interface UsageRange {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

const QUARTER_MS = 15 * 60 * 1000;
/**
 * A request's id is made at the moment it arrives, and so a range of time is a range of ids. Early versions read the
 * clock twice, once for either: the records they left are found as long as the two lie no further apart than this.
 */
export const ID_MARGIN_MS = 5 * 60 * 1000;

const SINGLE = `SELECT date_bin('15 minutes', created_at, 'epoch') AS quarter, key_id, coalesce(model, '') AS model,
    coalesce(provider, '') AS provider, task, (status < 400)::int AS requests,
    (status >= 400 AND status <> 499)::int AS errors, input_tokens, output_tokens, cost
  FROM requests WHERE account_id = $1`;
const ROLLED_UP = `SELECT quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost
  FROM usage_quarters WHERE account_id = $1`;

/** The statement that gives what an account has used in a range, piece by piece, and its values. */
export function usageIn(
  accountId: string,
  range: UsageRange,
): { readonly sql: string; readonly values: readonly unknown[] } {
  const { quarters, edges } = splitRange(range);
  const values: unknown[] = [accountId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const parts = edges.map(({ from, to }) => {
    const [first, end] = [firstIdAt(from - ID_MARGIN_MS), firstIdAt(to + ID_MARGIN_MS)];
    return `${SINGLE} AND id >= ${place(first)} AND id < ${place(end)}
      AND created_at >= ${place(new Date(from))} AND created_at < ${place(new Date(to))}`;
  });
  if (quarters !== undefined) {
    const { from, to } = quarters;
    const since = from === undefined ? "" : ` AND quarter >= ${place(new Date(from))}`;
    const until = to === undefined ? "" : ` AND quarter < ${place(new Date(to))}`;
    parts.push(ROLLED_UP + since + until);
  }
  return { sql: parts.join(" UNION ALL "), values };
}

interface SplitRange {
  /** Whole quarters of an hour; undefined where the range lies within one, or within two neighbours. */
  readonly quarters: { readonly from: number | undefined; readonly to: number | undefined } | undefined;
  /** What it cuts off from a quarter at either end. */
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/** A range, split where its first whole quarter begins and its last one ends. */
function splitRange(range: UsageRange): SplitRange {
  const from = range.from?.getTime();
  const to = range.to?.getTime();
  const first = from === undefined ? undefined : Math.ceil(from / QUARTER_MS) * QUARTER_MS;
  const end = to === undefined ? undefined : Math.floor(to / QUARTER_MS) * QUARTER_MS;
  if (from !== undefined && to !== undefined && first !== undefined && end !== undefined && first > end)
    return { quarters: undefined, edges: [{ from, to }] };
  return {
    quarters: { from: first, to: end },
    edges: [
      ...(from === undefined || first === undefined || from === first ? [] : [{ from, to: first }]),
      ...(to === undefined || end === undefined || to === end ? [] : [{ from: end, to }]),
    ],
  };
}
