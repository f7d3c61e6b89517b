import type { Queryable } from "./database.ts";

/** Column names as a list, each of the table with this alias. */
export function listColumns(names: readonly string[], alias?: string): string {
  return (alias === undefined ? names : names.map((name) => `${alias}.${name}`)).join(", ");
}

/** For `ON CONFLICT DO UPDATE SET`: adds what could not be inserted to the row that is there, which has this alias. */
export function addExcluded(names: readonly string[], alias: string): string {
  return names.map((name) => `${name} = ${alias}.${name} + EXCLUDED.${name}`).join(", ");
}

/** Parameters from a number on, as a list: `$3, $4, $5`. */
export function placeholders(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${first + index}`).join(", ");
}

/** Of each column of some rows: its type in PostgreSQL, and its value for an item. */
export type ItemColumns<Item, Value = unknown> = Readonly<
  Record<string, readonly [type: string, read: (item: Item) => Value]>
>;

/** A value that is no list and no JSON. */
export type ScalarValue = string | number | bigint | boolean | Date | null | undefined;

/** Items as rows of a FROM clause, by one array for each column. The arrays are the parameters from `first` on. */
export function rowsOf<Item>(items: readonly Item[], columns: ItemColumns<Item>, first = 1) {
  const names = Object.keys(columns).join(", ");
  const specs = Object.values(columns);
  const arrays = specs.map(([type], index) => `$${first + index}::${type}[]`).join(", ");
  return {
    names,
    from: `unnest(${arrays}) AS item (${names})`,
    values: specs.map(([, read]) => items.map(read)),
  };
}

/** The same with each array as text, which takes a tenth of the memory of the driver's: for many rows. */
export function textRowsOf<Item>(items: readonly Item[], columns: ItemColumns<Item, ScalarValue>) {
  const { names, from } = rowsOf([], columns);
  return { names, from, values: Object.values(columns).map(([, read]) => arrayText(items, read)) };
}

/** An array as PostgreSQL reads it. */
function arrayText<Item>(items: readonly Item[], read: (item: Item) => ScalarValue): string {
  const texts = new Array<string>(items.length);
  for (let index = 0; index < items.length; index++) texts[index] = elementText(read(items[index] as Item));
  return `{${texts.join(",")}}`;
}

/** Without quotes an element must not be empty, and NULL would be no text. */
const PLAIN_ELEMENT = /^(?!null$)[\w.:+-]+$/i;

function elementText(value: ScalarValue): string {
  if (value === undefined || value === null) return "NULL";
  const text = value instanceof Date ? value.toISOString() : String(value);
  return PLAIN_ELEMENT.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Where a page of a list begins, and how long it is. */
export interface Page {
  readonly limit: number;
  /** The id that the page before ended with; undefined for the first page. */
  readonly cursor: string | undefined;
  /** The id that the next page begins with, for a list that is read backwards. The cursor is not used then. */
  readonly before?: string | undefined;
}

/**
 * Reads one page of a list, newest first. Ids sort by creation, so the page is what follows the cursor in their order.
 * `select` ends in a condition; `id` is the column that it lists by.
 */
export async function readPage<Row extends object>(
  connection: Queryable,
  select: string,
  values: readonly unknown[],
  { limit, cursor, before }: Page,
  id = "id",
): Promise<Row[]> {
  if (before !== undefined) {
    const rows = await connection.query<Row>(
      `${select} AND ${id} > $${values.length + 2} ORDER BY ${id} LIMIT $${values.length + 1}`,
      [...values, limit, before],
    );
    return rows.reverse();
  }
  const isOlder = cursor === undefined ? "" : ` AND ${id} < $${values.length + 2}`;
  return connection.query<Row>(`${select}${isOlder} ORDER BY ${id} DESC LIMIT $${values.length + 1}`, [
    ...values,
    limit,
    ...(cursor === undefined ? [] : [cursor]),
  ]);
}
