import type { SettingStore } from "../app/live-settings.ts";
import type { Database } from "./database/database.ts";

/** The service's own settings in PostgreSQL, each under its name. */
export class PostgresSettings implements SettingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(names: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const rows = await this.#database.query<{ name: string; value: unknown }>(
      "SELECT name, value FROM settings WHERE name = ANY($1)",
      [names],
    );
    return new Map(rows.map(({ name, value }) => [name, value]));
  }

  async write(values: ReadonlyMap<string, unknown>): Promise<void> {
    // In one order, so that two who write the same never wait for each other.
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
