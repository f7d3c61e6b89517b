import type { NextPrice, Price } from "@trunkline/core/model.ts";
import type { Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns, placeholders, readPage } from "../database/sql.ts";

/** The amounts of a price, by their columns. */
const AMOUNTS = {
  input_per_million: "inputPerMillion",
  cached_input_per_million: "cachedInputPerMillion",
  cache_write_per_million: "cacheWritePerMillion",
  output_per_million: "outputPerMillion",
  per_image: "perImage",
  per_request: "perRequest",
  per_second: "perSecond",
} as const satisfies Partial<Record<keyof Row<"price_versions">, keyof Price>>;

export const PRICE_COLUMNS = Object.keys(AMOUNTS);
const AMOUNT_FIELDS = Object.values(AMOUNTS);

/** One version of a price. All NULL where there is none. */
export type PriceRow = { readonly [Column in keyof typeof AMOUNTS]: bigint | null } & {
  readonly price_version: bigint | null;
};

/** A price of a model since a moment. */
export interface PriceVersion {
  readonly id: string;
  readonly since: Date;
  /** undefined where it can't be read. */
  readonly price: Price | undefined;
}

/** Whether it is the price of the model, or the fee under an account's own key. */
export type PriceKind = "model" | "own-key";

const SELECT_PRICE = `SELECT id AS price_version, coalesce(effective_at, created_at) AS since, ${listColumns(PRICE_COLUMNS)} FROM price_versions`;

/** The price in a row; undefined where any amount is missing, as a guess could make a model free. */
export function priceOfRow(row: PriceRow): Price | undefined {
  if (
    row.price_version === null ||
    row.input_per_million === null ||
    row.output_per_million === null ||
    row.per_image === null ||
    row.per_request === null ||
    row.per_second === null
  ) {
    return undefined;
  }
  return {
    version: String(row.price_version),
    inputPerMillion: row.input_per_million,
    cachedInputPerMillion: row.cached_input_per_million ?? undefined,
    cacheWritePerMillion: row.cache_write_per_million ?? undefined,
    outputPerMillion: row.output_per_million,
    perImage: row.per_image,
    perRequest: row.per_request,
    perSecond: row.per_second,
  };
}

/** The price that holds for a model now. */
export async function readPrice(
  connection: Queryable,
  modelId: string,
  now: Date = new Date(),
  kind: PriceKind = "model",
): Promise<Price | undefined> {
  const rows = await connection.query<PriceRow>(
    `${SELECT_PRICE} WHERE model_id = $1 AND own_key = $2 AND (effective_at IS NULL OR effective_at <= $3) ORDER BY id DESC LIMIT 1`,
    [modelId, kind === "own-key", now],
  );
  return rows[0] && priceOfRow(rows[0]);
}

/** What the models cost under an account's own key, by their ids. */
export async function readOwnKeyPrices(connection: Queryable): Promise<Map<string, Price>> {
  const rows = await connection.query<PriceRow & Row<"price_versions", "model_id">>(
    `SELECT DISTINCT ON (model_id) model_id, id AS price_version, ${listColumns(PRICE_COLUMNS)}
     FROM price_versions WHERE own_key ORDER BY model_id, id DESC`,
  );
  return new Map(
    rows.flatMap((row) => {
      const price = priceOfRow(row);
      return price === undefined ? [] : [[row.model_id, price]];
    }),
  );
}

/** The prices that were announced and do not hold yet, by the ids of their models: of several, the first to come. */
export async function readNextPrices(connection: Queryable, now: Date): Promise<Map<string, NextPrice>> {
  const rows = await connection.query<PriceRow & Row<"price_versions", "model_id"> & { effective_at: Date }>(
    `SELECT DISTINCT ON (model_id) model_id, effective_at, id AS price_version, ${listColumns(PRICE_COLUMNS)}
     FROM price_versions n WHERE effective_at > $1 AND NOT own_key AND NOT EXISTS (
       SELECT 1 FROM price_versions v WHERE v.model_id = n.model_id AND NOT v.own_key AND v.id > n.id
         AND (v.effective_at IS NULL OR v.effective_at <= $1))
     ORDER BY model_id, id`,
    [now],
  );
  return new Map(
    rows.flatMap((row) => {
      const price = priceOfRow(row);
      return price === undefined ? [] : [[row.model_id, { price, effectiveAt: row.effective_at }]];
    }),
  );
}

/** One page of the prices of a model, newest first. */
export async function listPrices(
  connection: Queryable,
  modelId: string,
  limit: number,
  cursor: string | undefined,
): Promise<PriceVersion[]> {
  const rows = await readPage<PriceRow & { price_version: bigint; since: Date }>(
    connection,
    `${SELECT_PRICE} WHERE model_id = $1 AND NOT own_key`,
    [modelId],
    { limit, cursor },
  );
  return rows.map((row) => ({
    id: String(row.price_version),
    since: row.since,
    price: priceOfRow(row),
  }));
}

/** Price versions by their numbers, of any model. Unknown numbers are skipped. */
export async function findPrices(connection: Queryable, versions: readonly string[]): Promise<Map<string, Price>> {
  const rows = await connection.query<PriceRow>(`${SELECT_PRICE} WHERE id = ANY ($1::bigint[])`, [versions]);
  return new Map(rows.map(priceOfRow).flatMap((price) => (price === undefined ? [] : [[price.version, price]])));
}

/** Makes this the price of a model from now on, or from a later moment. */
export async function insertPrice(
  connection: Queryable,
  modelId: string,
  price: Price,
  kind: PriceKind = "model",
  effectiveAt?: Date,
): Promise<void> {
  const amounts = AMOUNT_FIELDS.map((field) => price[field] ?? null);
  const values = [modelId, kind === "own-key", effectiveAt ?? null, ...amounts];
  await connection.query(
    `INSERT INTO price_versions (model_id, own_key, effective_at, ${listColumns(PRICE_COLUMNS)}) VALUES (${placeholders(values.length)})`,
    values,
  );
}

/** Makes this the price of a model from now on, unless it is already. */
export async function insertPriceIfChanged(
  connection: Queryable,
  modelId: string,
  price: Price,
  now: Date,
  kind: PriceKind = "model",
): Promise<void> {
  const current = await readPrice(connection, modelId, now, kind);
  if (current === undefined || !isSamePrice(current, price)) await insertPrice(connection, modelId, price, kind);
}

/**
 * Makes `price` the model's price now and `next` the one after it. Without `next` an announced price is taken back, by a
 * newer version of the present one. The same announcement again changes nothing, so that it does not postpone itself.
 */
export async function announcePrice(
  connection: Queryable,
  modelId: string,
  price: Price,
  next: NextPrice | undefined,
  now: Date,
): Promise<void> {
  const [announced] = await connection.query<PriceRow>(
    `${SELECT_PRICE} WHERE effective_at > $2 AND id = (
       SELECT max(id) FROM price_versions WHERE model_id = $1 AND NOT own_key)`,
    [modelId, now],
  );
  const nextBefore = announced && priceOfRow(announced);
  if (nextBefore !== undefined && next === undefined) {
    await insertPrice(connection, modelId, price);
    return;
  }
  if (nextBefore !== undefined && next !== undefined && isSamePrice(nextBefore, next.price)) return;
  await insertPriceIfChanged(connection, modelId, price, now);
  if (next !== undefined) await insertPrice(connection, modelId, next.price, "model", next.effectiveAt);
}

function isSamePrice(one: Price, other: Price): boolean {
  return AMOUNT_FIELDS.every((field) => one[field] === other[field]);
}
