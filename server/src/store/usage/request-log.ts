import { firstIdAt } from "@trunkline/core/id.ts";
import type { Price } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import { NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns } from "../database/sql.ts";
import { PRICE_COLUMNS, type PriceRow, priceOfRow } from "../models/price-versions.ts";
import { USAGE_COLUMN_NAMES, type UsageColumn } from "./usage-columns.ts";
import { ID_MARGIN_MS, tagConditions, type UsageFilter } from "./usage-query.ts";

const LISTED = [
  "id",
  "key_id",
  "created_at",
  "path",
  "task",
  "model",
  "provider",
  "status",
  "error_type",
  "input_tokens",
  "output_tokens",
  "cost",
  "latency_ms",
  "tags",
] as const satisfies readonly (keyof Row<"requests">)[];

const LIST_COLUMNS = `${listColumns(LISTED, "r")}, k.name AS key_name`;

/** A request in a list. */
export interface RequestRow extends Row<"requests", (typeof LISTED)[number]> {
  /** NULL where the key is gone. */
  readonly key_name: string | null;
}

/** A request in full. `images` is NULL where it was stored before images were counted; a discount is in ten-thousandths. */
export interface RequestRecord
  extends RequestRow,
    Row<"requests", UsageColumn | "discount" | "usage_source" | "price_version" | "held"> {
  readonly detail: Readonly<Record<string, unknown>>;
  /** The client's feedback on the answer; NULL without any. */
  readonly feedback_score: number | null;
  readonly feedback_comment: string | null;
  readonly feedback_at: Date | null;
  /** The version that it was charged by; undefined where the store has none, as for built-in models. */
  readonly price: Price | undefined;
  /** The segments of an answer by several models; otherwise empty. */
  readonly legs: readonly SegmentRow[];
}

/** One model's part of an answer by several models. */
export type SegmentRow = Omit<Row<"request_legs">, "request_id" | "leg">;

type StoredRecord = Omit<RequestRecord, "price" | "legs"> &
  Omit<PriceRow, "price_version"> & { readonly known_version: bigint | null };

/** Which requests to list; an undefined field admits all. */
export interface RequestFilter extends UsageFilter {
  readonly id?: string | undefined;
  /** From one status to another, both included. */
  readonly status?: { readonly from: number; readonly to: number; readonly but?: number } | undefined;
  readonly errorType?: string | undefined;
  readonly minCost?: NanoCredits | undefined;
  readonly minLatencyMs?: number | undefined;
  /** Those whose feedback has a score from one to another, both included. */
  readonly feedback?: { readonly from: number; readonly to: number } | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Those whose stored prompt or output contains this, in any case. */
  readonly text?: string | undefined;
  /** Only those that arrived after this one. */
  readonly after?: string | undefined;
}

/** The request that a page follows, and the direction. */
export interface RequestCursor {
  readonly id: string;
  readonly towards: "older" | "newer";
}

export interface RequestPage {
  /** In the direction of the cursor. */
  readonly rows: readonly RequestRow[];
  /** The last request read, where the search stopped at its limit; the next page goes on from there. */
  readonly searchedUntil: string | undefined;
}

/**
 * How many requests one search reads at most: a search for something rare takes several short steps. Those of an account lie
 * on as many pages, which may have to come from the disk one by one.
 */
const SCANNED_MAX = 5_000;
/** A search for a text reads whole prompts and outputs: its steps are a fifth as long. */
const TEXT_SCAN_SHARE = 5;

/** The requests of an account. */
export class RequestLog {
  readonly #database: Database;
  readonly #others: OtherDatabases;
  readonly #scannedMax: number;

  constructor(database: Database, scannedMax = SCANNED_MAX, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
    this.#scannedMax = scannedMax;
  }

  /** One page of the requests that pass the filter, newest first, or from a cursor on in its direction. */
  async page(
    accountId: string,
    filter: RequestFilter,
    limit: number,
    cursor: RequestCursor | undefined,
  ): Promise<RequestPage> {
    const pages = [await this.#pageOf(this.#database, accountId, filter, limit, cursor)];
    for (const other of this.#others.ofAccount(accountId))
      pages.push(await this.#pageOf(other, accountId, filter, limit, cursor));
    return mergePages(pages, limit, cursor?.towards === "newer");
  }

  async #pageOf(
    database: Database,
    accountId: string,
    filter: RequestFilter,
    limit: number,
    cursor: RequestCursor | undefined,
  ): Promise<RequestPage> {
    if (filter.keyId !== undefined) {
      // The search goes by the index on keys, which does not look at the account: the key must be one of its own.
      const own = await database.query("SELECT FROM api_keys WHERE id = $1 AND account_id = $2", [
        filter.keyId,
        accountId,
      ]);
      if (own.length === 0) return { rows: [], searchedUntil: undefined };
    }
    const order = cursor?.towards === "newer" ? "ASC" : "DESC";
    const values: unknown[] = [accountId];
    const place = (value: unknown) => `$${values.push(value)}`;
    const found = indexConditions(filter, cursor, place);
    const valuesOfFound = [...values];
    const seen = rowConditions(filter, place);
    const scanned = filter.text === undefined ? this.#scannedMax : Math.ceil(this.#scannedMax / TEXT_SCAN_SHARE);
    const last =
      seen === "" ? undefined : await scanLimit(database, scanned, filter.keyId, found, order, valuesOfFound);
    const within = last === undefined ? "" : ` AND r.id ${order === "ASC" ? "<=" : ">="} ${place(last)}`;
    const rows = await database.query<RequestRow>(
      `SELECT ${LIST_COLUMNS} FROM (
         SELECT * FROM requests r WHERE account_id = $1${found}${seen}${within} ORDER BY r.id ${order} LIMIT ${place(limit)}
       ) AS r LEFT JOIN api_keys k ON k.id = r.key_id ORDER BY r.id ${order}`,
      values,
    );
    return { rows, searchedUntil: rows.length < limit ? last : undefined };
  }

  async find(accountId: string, id: string): Promise<RequestRecord | undefined> {
    const record = await findRecord(this.#database, accountId, id);
    if (record !== undefined) return record;
    for (const other of this.#others.ofAccount(accountId)) {
      const found = await findRecord(other, accountId, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** One page of what several databases have found. What lies behind the place where a search stopped belongs to the next one. */
function mergePages(pages: readonly RequestPage[], limit: number, isAscending: boolean): RequestPage {
  const [only, ...others] = pages;
  if (only !== undefined && others.length === 0) return only;
  const before = (one: string, other: string) => (isAscending ? one < other : one > other);
  const stops = pages.flatMap(({ searchedUntil }) => searchedUntil ?? []);
  const stop = stops.toSorted((one, other) => (before(one, other) ? -1 : 1))[0];
  const rows = pages
    .flatMap((page) => page.rows)
    .filter(({ id }) => stop === undefined || !before(stop, id))
    .toSorted((one, other) => (before(one.id, other.id) ? -1 : 1))
    .slice(0, limit);
  return { rows, searchedUntil: rows.length < limit ? stop : undefined };
}

async function findRecord(database: Database, accountId: string, id: string): Promise<RequestRecord | undefined> {
  const rows = await database.query<StoredRecord>(
    `SELECT ${LIST_COLUMNS}, ${listColumns(USAGE_COLUMN_NAMES, "r")}, r.discount, r.usage_source, r.held, r.detail,
         r.price_version, p.id AS known_version, ${listColumns(PRICE_COLUMNS, "p")},
         f.score AS feedback_score, f.comment AS feedback_comment, f.given_at AS feedback_at
       FROM requests r LEFT JOIN api_keys k ON k.id = r.key_id LEFT JOIN request_feedback f ON f.request_id = r.id
       LEFT JOIN price_versions p ON p.id = CASE WHEN r.price_version ~ '^[1-9][0-9]{0,17}$' THEN r.price_version::bigint END
       WHERE r.account_id = $1 AND r.id = $2`,
    [accountId, id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const legs =
    row.price_version === PRICED_BY_SEGMENTS
      ? await database.query<SegmentRow>("SELECT * FROM request_legs WHERE request_id = $1 ORDER BY leg", [id])
      : [];
  return { ...row, price: priceOfRow({ ...row, price_version: row.known_version }), legs };
}

/** The last request that one search reads, by the index alone; undefined where it can read all of them. */
async function scanLimit(
  database: Database,
  scanned: number,
  keyId: string | undefined,
  found: string,
  order: "ASC" | "DESC",
  values: readonly unknown[],
): Promise<string | undefined> {
  // Every parameter has to be used, also where the search goes by the key.
  const owner = keyId === undefined ? "account_id = $1" : "$1::uuid IS NOT NULL";
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM requests r WHERE ${owner}${found} ORDER BY id ${order} OFFSET ${scanned - 1} LIMIT 1`,
    values,
  );
  return rows[0]?.id;
}

type Place = (value: unknown) => string;

/** The conditions that an index answers. */
function indexConditions(
  { id, from, to, after, keyId, status, errorType }: RequestFilter,
  cursor: RequestCursor | undefined,
  place: Place,
): string {
  const conditions = [
    keyId === undefined ? "" : `r.key_id = ${place(keyId)}`,
    errorType !== undefined || (status?.from ?? 0) >= 400 ? "r.status >= 400" : "",
    id === undefined ? "" : `r.id = ${place(id)}`,
    after === undefined ? "" : `r.id > ${place(after)}`,
    from === undefined ? "" : `r.id >= ${place(firstIdAt(from.getTime() - ID_MARGIN_MS))}`,
    to === undefined ? "" : `r.id < ${place(firstIdAt(to.getTime() + ID_MARGIN_MS))}`,
    cursor === undefined ? "" : `r.id ${cursor.towards === "newer" ? ">" : "<"} ${place(cursor.id)}`,
  ];
  return joinConditions(conditions);
}

/** The conditions for which a row has to be read. */
function rowConditions(filter: RequestFilter, place: Place): string {
  const { model, provider, task, tags, status, errorType, minCost, minLatencyMs, feedback, text, from, to } = filter;
  const conditions = [
    model === undefined ? "" : `r.model = ${place(model)}`,
    provider === undefined ? "" : `r.provider = ${place(provider)}`,
    task === undefined ? "" : `r.task = ${place(task)}`,
    status === undefined ? "" : `r.status BETWEEN ${place(status.from)} AND ${place(status.to)}`,
    status?.but === undefined ? "" : `r.status <> ${place(status.but)}`,
    errorType === undefined ? "" : `r.error_type = ${place(errorType)}`,
    minCost === undefined ? "" : `r.cost >= ${place(minCost)}`,
    minLatencyMs === undefined ? "" : `r.latency_ms >= ${place(minLatencyMs)}`,
    feedback === undefined
      ? ""
      : `EXISTS (SELECT FROM request_feedback f WHERE f.request_id = r.id AND f.score BETWEEN ${place(feedback.from)} AND ${place(feedback.to)})`,
    from === undefined ? "" : `r.created_at >= ${place(from)}`,
    to === undefined ? "" : `r.created_at < ${place(to)}`,
    ...tagConditions(tags, place),
    text === undefined ? "" : textCondition(text, place),
  ];
  return joinConditions(conditions);
}

/**
 * A search in the stored JSON as it is written, since a NUL in a prompt can't be read as a text. The content is its
 * last field, and quotes within it are escaped, so that these separators can't stand in a prompt.
 */
function textCondition(text: string, place: Place): string {
  const content = `replace(split_part(r.detail::text, '"content":{"input":', 2), '","output":"', ' ')`;
  return `strpos(lower(${content}), lower(${place(JSON.stringify(text).slice(1, -1))}::text)) > 0`;
}

function joinConditions(conditions: readonly string[]): string {
  return conditions
    .filter((condition) => condition !== "")
    .map((condition) => ` AND ${condition}`)
    .join("");
}
