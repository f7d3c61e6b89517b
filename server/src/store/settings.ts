import type { SettingStore } from "../live-settings.ts";
import type { Database } from "./database.ts";

/** The service's own settings in PostgreSQL, each under its name. */
export class PostgresSettings implements SettingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(name: string): Promise<unknown> {
    const rows = await this.#database.query<{ value: unknown }>(
      "SELECT value FROM settings WHERE name = $1",
      [name],
    );
    return rows[0]?.value;
  }

  async write(name: string, value: unknown): Promise<void> {
    await this.#database.query(
      "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value",
      [name, JSON.stringify(value)],
    );
  }

  async forget(name: string): Promise<void> {
    await this.#database.query("DELETE FROM settings WHERE name = $1", [name]);
  }
}
