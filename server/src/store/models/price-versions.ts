import type { Price } from "@trunkline/core/model.ts";
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

const SELECT_PRICE = `SELECT id AS price_version, created_at, ${listColumns(PRICE_COLUMNS)} FROM price_versions`;

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
  kind: PriceKind = "model",
): Promise<Price | undefined> {
  const rows = await connection.query<PriceRow>(
    `${SELECT_PRICE} WHERE model_id = $1 AND own_key = $2 ORDER BY id DESC LIMIT 1`,
    [modelId, kind === "own-key"],
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

/** One page of the prices of a model, newest first. */
export async function listPrices(
  connection: Queryable,
  modelId: string,
  limit: number,
  cursor: string | undefined,
): Promise<PriceVersion[]> {
  const rows = await readPage<PriceRow & { price_version: bigint } & Row<"price_versions", "created_at">>(
    connection,
    `${SELECT_PRICE} WHERE model_id = $1 AND NOT own_key`,
    [modelId],
    { limit, cursor },
  );
  return rows.map((row) => ({
    id: String(row.price_version),
    since: row.created_at,
    price: priceOfRow(row),
  }));
}

/** Price versions by their numbers, of any model. Unknown numbers are skipped. */
export async function findPrices(connection: Queryable, versions: readonly string[]): Promise<Map<string, Price>> {
  const rows = await connection.query<PriceRow>(`${SELECT_PRICE} WHERE id = ANY ($1::bigint[])`, [versions]);
  return new Map(rows.map(priceOfRow).flatMap((price) => (price === undefined ? [] : [[price.version, price]])));
}

/** Makes this the price of a model from now on. */
export async function insertPrice(
  connection: Queryable,
  modelId: string,
  price: Price,
  kind: PriceKind = "model",
): Promise<void> {
  const values = [modelId, kind === "own-key", ...AMOUNT_FIELDS.map((field) => price[field] ?? null)];
  await connection.query(
    `INSERT INTO price_versions (model_id, own_key, ${listColumns(PRICE_COLUMNS)}) VALUES (${placeholders(values.length)})`,
    values,
  );
}

/** Makes this the price of a model from now on, unless it is already. */
export async function insertPriceIfChanged(
  connection: Queryable,
  modelId: string,
  price: Price,
  kind: PriceKind = "model",
): Promise<void> {
  const current = await readPrice(connection, modelId, kind);
  if (current === undefined || AMOUNT_FIELDS.some((field) => current[field] !== price[field]))
    await insertPrice(connection, modelId, price, kind);
}
