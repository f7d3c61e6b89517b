import type { SettingStore } from "../app/live-settings.ts";
import type { Database } from "./database/database.ts";
import type { Row } from "./database/rows.ts";

/** The service's settings in PostgreSQL, by name. */
export class PostgresSettings implements SettingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(names: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const rows = await this.#database.query<Row<"settings">>("SELECT name, value FROM settings WHERE name = ANY($1)", [
      names,
    ]);
    return new Map(rows.map(({ name, value }) => [name, value]));
  }

  async write(values: ReadonlyMap<string, unknown>): Promise<void> {
    // In one order everywhere: two instances that write the same settings must not deadlock.
    const sorted = [...values].toSorted(([one], [other]) => (one < other ? -1 : 1));
    await this.#database.transaction(async (connection) => {
      for (const [name, value] of sorted) {
        if (value === undefined) await connection.query("DELETE FROM settings WHERE name = $1", [name]);
        else
          await connection.query(
            "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value",
            [name, JSON.stringify(value)],
          );
      }
    });
  }
}
