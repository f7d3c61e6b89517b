import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import type { ChargedUsage } from "@trunkline/core/usage.ts";
import type { Row } from "../database/rows.ts";
import { addExcluded, listColumns } from "../database/sql.ts";

/** Where each quantity of a usage is kept: its column in `requests` and `request_legs`, and the column's type. */
const COLUMN_OF_QUANTITY = {
  inputTokens: ["input_tokens", "bigint"],
  cachedInputTokens: ["cached_input_tokens", "bigint"],
  cacheWriteTokens: ["cache_write_tokens", "bigint"],
  outputTokens: ["output_tokens", "bigint"],
  images: ["images", "int"],
  audioMs: ["audio_ms", "bigint"],
} as const satisfies Record<
  keyof ChargedUsage,
  readonly [name: keyof Row<"requests"> & keyof Row<"request_legs">, type: "bigint" | "int"]
>;

export type UsageColumn = (typeof COLUMN_OF_QUANTITY)[keyof ChargedUsage][0];

/** The columns of a usage, each with its value in what has a usage. */
export const USAGE_COLUMNS = (Object.keys(COLUMN_OF_QUANTITY) as (keyof ChargedUsage)[]).map((quantity) => {
  const [name, type] = COLUMN_OF_QUANTITY[quantity];
  return { name, type, value: (usage: ChargedUsage): number => usage[quantity] };
});

export const USAGE_COLUMN_NAMES: readonly UsageColumn[] = USAGE_COLUMNS.map(({ name }) => name);

/** What `usage_quarters`, `usage_days` and `usage_account_quarters` sum up. */
export const ROLLUP_COLUMNS = ["requests", "errors", "input_tokens", "output_tokens", "cost"] as const;

/** What was used: the columns of a rollup, of one row or summed. */
export type UsageRow = Row<"usage_days", (typeof ROLLUP_COLUMNS)[number]>;

/** `usage_quarters` also sums up how long the answers took. */
const QUARTER_COLUMNS = [...ROLLUP_COLUMNS, "latency_ms"] as const;

/** What `usage_quarters` and `usage_days` sum up by, beside the account and the time. */
export const DIMENSIONS = "key_id, model, provider, task";

/** The sums of some columns, under their own names. */
export function sums(names: readonly string[]): string {
  return names.map((name) => `sum(${name}) AS ${name}`).join(", ");
}

/**
 * What the rollups sum up: each request counts once, for the model that finished it; tokens and cost count for the model
 * that used them. A request of one segment is one row. A request of several segments is a row without tokens and cost, and
 * a row for each segment that counts as no request. `requests` and `legs` are tables, or parts of a statement with their
 * columns; without `legs`, no request has several segments.
 */
export function usageRows(requests: string, legs?: string, withTags = false): string {
  const tags = withTags ? ", tags" : "";
  const used = ["input_tokens", "output_tokens", "cost"];
  const ofRequest = used.map((name) =>
    legs === undefined ? name : `CASE WHEN price_version = '${PRICED_BY_SEGMENTS}' THEN 0 ELSE ${name} END AS ${name}`,
  );
  const rows = `SELECT id, created_at, account_id, key_id, coalesce(model, '') AS model, coalesce(provider, '') AS provider, task,
      (status < 400)::int AS requests, (status >= 400 AND status <> 499)::int AS errors, ${ofRequest.join(", ")},
      CASE WHEN status < 400 THEN latency_ms ELSE 0 END AS latency_ms${tags}
    FROM ${requests}`;
  if (legs === undefined) return rows;
  return `${rows}
    UNION ALL
    SELECT r.id, r.created_at, r.account_id, r.key_id, l.model, l.provider, r.task, 0, 0, ${listColumns(used, "l")}, 0${withTags ? ", r.tags" : ""}
    FROM ${legs} l JOIN ${requests} r ON r.id = l.request_id`;
}

/** Adds usage to `usage_quarters`: `select` gives the columns of its key and of its sums, in this order. */
export function addToQuarters(select: string): string {
  const key = `account_id, quarter, ${DIMENSIONS}, instance_id`;
  return `INSERT INTO usage_quarters AS u (${key}, ${listColumns(QUARTER_COLUMNS)})
    ${select}
    ON CONFLICT (${key}) DO UPDATE SET ${addExcluded(QUARTER_COLUMNS, "u")}`;
}

export const QUARTER_SUMS = sums(QUARTER_COLUMNS);
export const QUARTER_COLUMN_LIST = listColumns(QUARTER_COLUMNS);
