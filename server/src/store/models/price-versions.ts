import type { Price } from "@trunkline/core/model.ts";
import type { Queryable } from "../database/database.ts";

/** One version of a price as it is kept. All NULL where there is none. */
export interface PriceRow {
  price_version: bigint | null;
  input_per_million: bigint | null;
  cached_input_per_million: bigint | null;
  cache_write_per_million: bigint | null;
  output_per_million: bigint | null;
  per_image: bigint | null;
  per_request: bigint | null;
  per_second: bigint | null;
}

/** What was a model's price since a moment. */
export interface PriceVersion {
  readonly id: string;
  readonly since: Date;
  /** undefined where it can't be read. */
  readonly price: Price | undefined;
}

export const PRICE_COLUMNS = [
  "input_per_million",
  "cached_input_per_million",
  "cache_write_per_million",
  "output_per_million",
  "per_image",
  "per_request",
  "per_second",
];

/** Whose price it is: that of the model, or the fee where an account brings its own key. */
export type PriceKind = "model" | "own-key";

const SELECT_PRICE = `SELECT id AS price_version, created_at, ${PRICE_COLUMNS.join(", ")} FROM price_versions`;

/** The price in a row; undefined where any place of it is missing, as a guess could make a model free. */
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
  const rows = await connection.query<PriceRow & { model_id: string }>(
    `SELECT DISTINCT ON (model_id) model_id, id AS price_version, ${PRICE_COLUMNS.join(", ")}
     FROM price_versions WHERE own_key ORDER BY model_id, id DESC`,
  );
  return new Map(
    rows.flatMap((row) => {
      const price = priceOfRow(row);
      return price === undefined ? [] : [[row.model_id, price]];
    }),
  );
}

/** The prices of a model, the newest first, from the one before a given version on. */
export async function listPrices(
  connection: Queryable,
  modelId: string,
  limit: number,
  before: string | undefined,
): Promise<PriceVersion[]> {
  const rows = await connection.query<PriceRow & { price_version: bigint; created_at: Date }>(
    `${SELECT_PRICE} WHERE model_id = $1 AND NOT own_key AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [modelId, before ?? null, limit],
  );
  return rows.map((row) => ({
    id: String(row.price_version),
    since: row.created_at,
    price: priceOfRow(row),
  }));
}

/** Versions of prices by their numbers, of whatever models. Unknown numbers are skipped. */
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
  const places = PRICE_COLUMNS.map((_, index) => `$${index + 3}`).join(", ");
  await connection.query(
    `INSERT INTO price_versions (model_id, own_key, ${PRICE_COLUMNS.join(", ")}) VALUES ($1, $2, ${places})`,
    [
      modelId,
      kind === "own-key",
      price.inputPerMillion,
      price.cachedInputPerMillion ?? null,
      price.cacheWritePerMillion ?? null,
      price.outputPerMillion,
      price.perImage,
      price.perRequest,
      price.perSecond,
    ],
  );
}

/** Makes this the price of a model from now on, unless it is already. */
export async function insertPriceIfChanged(
  connection: Queryable,
  modelId: string,
  price: Price,
  kind: PriceKind = "model",
): Promise<void> {
  if (!isSamePrice(await readPrice(connection, modelId, kind), price))
    await insertPrice(connection, modelId, price, kind);
}

/** Whether nothing but the version's number differs. */
function isSamePrice(one: Price | undefined, other: Price): boolean {
  return (
    one !== undefined &&
    one.inputPerMillion === other.inputPerMillion &&
    one.cachedInputPerMillion === other.cachedInputPerMillion &&
    one.cacheWritePerMillion === other.cacheWritePerMillion &&
    one.outputPerMillion === other.outputPerMillion &&
    one.perImage === other.perImage &&
    one.perRequest === other.perRequest &&
    one.perSecond === other.perSecond
  );
}
