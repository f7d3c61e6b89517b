import type { Database } from "./database/database.ts";

/** A column that holds encrypted values. */
export interface SealedColumn {
  /** In the plural, for people. */
  readonly what: string;
  readonly table: string;
  readonly column: string;
  /** The primary key. */
  readonly key: readonly string[];
  /** Further columns that `ownerOf` needs. */
  readonly more?: readonly string[];
  /** Which rows hold encrypted values, in SQL; undefined: all. */
  readonly where?: string;
  /** The purpose of its Sealer. */
  readonly purpose: string;
  /** What the box was sealed for, by the columns of its row as text. */
  readonly ownerOf: (row: Readonly<Record<string, string>>) => string;
}

export interface SealedBox {
  readonly row: Readonly<Record<string, string>>;
  readonly box: Buffer;
}

/** How many boxes are read at once, and so how many are in memory. Files have up to some megabytes. */
const PAGE = 20;

/** The encrypted values of the service, whatever table they are in. */
export class PostgresSealedBoxes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** How many boxes there are, and how many of them begin with `head`: the others were sealed with another key, or by an earlier version. */
  async count({ table, column, where = "true" }: SealedColumn, head: Buffer) {
    const [row] = await this.#database.query<{ all: bigint; current: bigint }>(
      `SELECT count(*) AS all, count(*) FILTER (WHERE substring(${column} FROM 1 FOR $2) = $1) AS current
       FROM ${table} WHERE ${column} IS NOT NULL AND ${where}`,
      [head, head.length],
    );
    return { all: Number(row?.all ?? 0), current: Number(row?.current ?? 0) };
  }

  /** All boxes that don't begin with `head`, page by page. */
  async *others(sealed: SealedColumn, head: Buffer): AsyncGenerator<readonly SealedBox[]> {
    let after: readonly string[] | undefined;
    for (;;) {
      const page = await this.#page(sealed, head, after);
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = sealed.key.map((name) => last.row[name] ?? "");
    }
  }

  async #page(sealed: SealedColumn, head: Buffer, after: readonly string[] | undefined): Promise<SealedBox[]> {
    const { table, column, key, more = [], where = "true" } = sealed;
    const isLater =
      after === undefined ? "true" : `(${key.join(", ")}) > (${key.map((_, index) => `$${index + 3}`).join(", ")})`;
    const shown = [...key, ...more].map((name) => `${name}::text AS ${name}`).join(", ");
    const rows = await this.#database.query<Record<string, string> & { sealed_box: Buffer }>(
      `SELECT ${shown}, ${column} AS sealed_box FROM ${table}
       WHERE ${column} IS NOT NULL AND substring(${column} FROM 1 FOR $2) <> $1 AND ${where} AND ${isLater}
       ORDER BY ${key.map((name) => `${table}.${name}`).join(", ")} LIMIT ${PAGE}`,
      [head, head.length, ...(after ?? [])],
    );
    return rows.map(({ sealed_box: box, ...row }) => ({ row, box }));
  }

  /** Puts a new box in the place of an old one, unless that has been replaced meanwhile. */
  async replace({ table, column, key }: SealedColumn, { row, box }: SealedBox, by: Buffer): Promise<void> {
    const isRow = key.map((name, index) => `${name} = $${index + 3}`).join(" AND ");
    await this.#database.query(`UPDATE ${table} SET ${column} = $1 WHERE ${column} = $2 AND ${isRow}`, [
      by,
      box,
      ...key.map((name) => row[name]),
    ]);
  }

  /** Remembers how boxes begin that are sealed with the secret under which all were sealed again. */
  async saveSealedWith(head: Buffer): Promise<void> {
    await this.#database.query(
      "INSERT INTO settings (name, value) VALUES ($1, to_jsonb($2::text)) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value",
      [SEALED_WITH, head.toString("hex")],
    );
  }

  /** Whether a service with this secret has sealed all boxes again. */
  async isSealedWith(head: Buffer): Promise<boolean> {
    const rows = await this.#database.query("SELECT 1 FROM settings WHERE name = $1 AND value = to_jsonb($2::text)", [
      SEALED_WITH,
      head.toString("hex"),
    ]);
    return rows.length > 0;
  }

  /** Runs `work` unless another instance just does. Returns whether it ran. */
  async runAlone(work: () => Promise<void>): Promise<boolean> {
    const connection = await this.#database.connect("secret rotation");
    try {
      const { rows } = await connection.query<{ free: boolean }>("SELECT pg_try_advisory_lock($1) AS free", [LOCK]);
      if (rows[0]?.free !== true) return false;
      await work();
      return true;
    } finally {
      // The lock goes with its connection.
      await connection.end();
    }
  }
}

const LOCK = 7_215_733_085;
const SEALED_WITH = "secret.sealed_with";
