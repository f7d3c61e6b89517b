import { firstIdAt } from "@trunkline/core/id.ts";
import type { Price } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import type { Database } from "../database/database.ts";
import { PRICE_COLUMNS, type PriceRow, priceOfRow } from "../models/price-versions.ts";
import { ID_MARGIN_MS, type UsageFilter } from "./usage-query.ts";

/** What happened to a request, as a list shows it. */
export interface RequestRow {
  readonly id: string;
  readonly key_id: string;
  /** NULL: there is no such key any more. */
  readonly key_name: string | null;
  readonly created_at: Date;
  readonly path: string;
  readonly task: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly status: number;
  readonly error_type: string | null;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cost: NanoCredits;
  readonly latency_ms: number;
}

/** All that is known of a request. */
export interface RequestRecord extends RequestRow {
  readonly images: number | null;
  readonly cached_input_tokens: bigint;
  readonly cache_write_tokens: bigint;
  readonly audio_ms: bigint;
  /** In ten-thousandths. */
  readonly discount: number;
  readonly usage_source: string;
  readonly price_version: string | null;
  readonly held: NanoCredits;
  readonly detail: Readonly<Record<string, unknown>>;
  /** What the client said of the answer; NULL: nothing. */
  readonly feedback_score: number | null;
  readonly feedback_comment: string | null;
  readonly feedback_at: Date | null;
  /** Of the version that it was charged by; undefined where the store has none, as for what is built in. */
  readonly price: Price | undefined;
  /** Where several models made the answer; otherwise none. */
  readonly legs: readonly SegmentRow[];
}

/** What one of several models did for a request. */
export interface SegmentRow {
  readonly provider: string;
  readonly model: string;
  readonly price_version: string;
  /** In ten-thousandths. */
  readonly discount: number;
  readonly input_tokens: bigint;
  readonly cached_input_tokens: bigint;
  readonly cache_write_tokens: bigint;
  readonly output_tokens: bigint;
  readonly images: number;
  readonly audio_ms: bigint;
  readonly usage_source: string;
  readonly cost: NanoCredits;
  readonly outcome: string;
}

type StoredRecord = Omit<RequestRecord, "price" | "legs"> &
  Omit<PriceRow, "price_version"> & { readonly known_version: bigint | null };

/** Which requests are looked for; what is undefined lets everything pass. */
export interface RequestFilter extends UsageFilter {
  readonly id?: string | undefined;
  /** From one status to another, both included. */
  readonly status?: { readonly from: number; readonly to: number; readonly but?: number } | undefined;
  readonly errorType?: string | undefined;
  readonly minCost?: NanoCredits | undefined;
  readonly minLatencyMs?: number | undefined;
  /** Those on which feedback was given with a score from one to another, both included. */
  readonly feedback?: { readonly from: number; readonly to: number } | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only those that arrived after this one. */
  readonly after?: string | undefined;
}

/** From which request on, and which way. */
export interface RequestCursor {
  readonly id: string;
  readonly towards: "older" | "newer";
}

export interface RequestPage {
  /** One more than asked for, where there are more; in the direction of the cursor. */
  readonly rows: readonly RequestRow[];
  /** The last row read, where the search stopped at its limit; it goes on from there. */
  readonly searchedUntil: string | undefined;
}

/** How many requests one search looks at: a rare thing is looked for in steps, none of which takes long. */
const SCANNED_MAX = 25_000;

const LIST_COLUMNS = `r.id, r.key_id, k.name AS key_name, r.created_at, r.path, r.task, r.model, r.provider, r.status, r.error_type,
  r.input_tokens, r.output_tokens, r.cost, r.latency_ms`;
const PRICES = PRICE_COLUMNS.map((column) => `p.${column}`).join(", ");

/** What happened, request by request, for those it happened to. */
export class RequestLog {
  readonly #database: Database;
  readonly #scannedMax: number;

  constructor(database: Database, lookedAtMax = SCANNED_MAX) {
    this.#database = database;
    this.#scannedMax = lookedAtMax;
  }

  /** One page of what passes the filter, newest first, or from a cursor on in its direction. */
  async page(
    accountId: string,
    filter: RequestFilter,
    limit: number,
    cursor: RequestCursor | undefined,
  ): Promise<RequestPage> {
    // Only then may the key stand for the account, as the index by key needs it.
    if (filter.keyId !== undefined && !(await this.#isKeyOf(accountId, filter.keyId)))
      return { rows: [], searchedUntil: undefined };
    const order = cursor?.towards === "newer" ? "ASC" : "DESC";
    const values: unknown[] = [accountId];
    const place = (value: unknown) => `$${values.push(value)}`;
    const found = indexConditions(filter, cursor, place);
    const valuesOfFound = [...values];
    const seen = rowConditions(filter, place);
    const last = seen === "" ? undefined : await this.#scanLimit(filter.keyId, found, order, valuesOfFound);
    const within = last === undefined ? "" : ` AND r.id ${order === "ASC" ? "<=" : ">="} ${place(last)}`;
    const rows = await this.#database.query<RequestRow>(
      `SELECT ${LIST_COLUMNS} FROM (
         SELECT * FROM requests r WHERE account_id = $1${found}${seen}${within} ORDER BY r.id ${order} LIMIT ${place(limit)}
       ) AS r LEFT JOIN api_keys k ON k.id = r.key_id ORDER BY r.id ${order}`,
      values,
    );
    return { rows, searchedUntil: rows.length < limit ? last : undefined };
  }

  async find(accountId: string, id: string): Promise<RequestRecord | undefined> {
    const rows = await this.#database.query<StoredRecord>(
      `SELECT ${LIST_COLUMNS}, r.images, r.cached_input_tokens, r.cache_write_tokens, r.audio_ms, r.discount, r.usage_source, r.held, r.detail,
         r.price_version, p.id AS known_version, ${PRICES},
         f.score AS feedback_score, f.comment AS feedback_comment, f.given_at AS feedback_at
       FROM requests r LEFT JOIN api_keys k ON k.id = r.key_id LEFT JOIN request_feedback f ON f.request_id = r.id
       LEFT JOIN price_versions p ON p.id = CASE WHEN r.price_version ~ '^[1-9][0-9]{0,17}$' THEN r.price_version::bigint END
       WHERE r.account_id = $1 AND r.id = $2`,
      [accountId, id],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const legs = row.price_version === PRICED_BY_SEGMENTS ? await this.#legsOf(row.id) : [];
    return { ...row, price: priceOfRow({ ...row, price_version: row.known_version }), legs };
  }

  #legsOf(id: string): Promise<SegmentRow[]> {
    return this.#database.query<SegmentRow>("SELECT * FROM request_legs WHERE request_id = $1 ORDER BY leg", [id]);
  }

  async #isKeyOf(accountId: string, keyId: string): Promise<boolean> {
    const rows = await this.#database.query("SELECT FROM api_keys WHERE id = $1 AND account_id = $2", [
      keyId,
      accountId,
    ]);
    return rows.length > 0;
  }

  /** The last request that one search looks at, read off the index alone; undefined where it can look at all of them. */
  async #scanLimit(
    keyId: string | undefined,
    found: string,
    order: "ASC" | "DESC",
    values: readonly unknown[],
  ): Promise<string | undefined> {
    // Every place has to be used, also where a key stands for its account.
    const owner = keyId === undefined ? "account_id = $1" : "$1::uuid IS NOT NULL";
    const rows = await this.#database.query<{ id: string }>(
      `SELECT id FROM requests r WHERE ${owner}${found} ORDER BY id ${order} OFFSET ${this.#scannedMax - 1} LIMIT 1`,
      values,
    );
    return rows[0]?.id;
  }
}

type Place = (value: unknown) => string;

/** The conditions by which an index leads to the rows. */
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

/** The conditions for which a row has to be looked at. */
function rowConditions(filter: RequestFilter, place: Place): string {
  const { model, provider, task, status, errorType, minCost, minLatencyMs, feedback, from, to } = filter;
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
  ];
  return joinConditions(conditions);
}

function joinConditions(conditions: readonly string[]): string {
  return conditions
    .filter((condition) => condition !== "")
    .map((condition) => ` AND ${condition}`)
    .join("");
}
