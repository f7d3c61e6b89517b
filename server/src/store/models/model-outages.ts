import type { OutageNotice, OutageStore } from "@trunkline/providers/health/outage-notifier.ts";
import type { Database } from "../database/database.ts";
import { enqueueEvent } from "../notify/outbox.ts";

/** Which models are out of service, in PostgreSQL. That one is and the letters that tell of it are one transaction. */
export class PostgresModelOutages implements OutageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async begin(modelId: string, why: string, since: Date, letter: OutageNotice): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      // The primary key decides who tells: another instance that saw the same finds it told.
      const rows = await connection.query(
        "INSERT INTO model_outages (model_id, why, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING model_id",
        [modelId, why, since],
      );
      if (rows.length === 0) return false;
      return (await enqueueEvent(connection, letter.accountId, letter.event, undefined)) > 0;
    });
  }

  async end(modelId: string, write: (since: Date) => OutageNotice | undefined): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const [outage] = await connection.query<{ since: Date }>(
        "DELETE FROM model_outages WHERE model_id = $1 RETURNING since",
        [modelId],
      );
      const letter = outage && write(outage.since);
      if (letter === undefined) return false;
      return (await enqueueEvent(connection, letter.accountId, letter.event, undefined)) > 0;
    });
  }

  async all(): Promise<string[]> {
    const rows = await this.#database.query<{ model_id: string }>("SELECT model_id FROM model_outages");
    return rows.map(({ model_id }) => model_id);
  }
}
