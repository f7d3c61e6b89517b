import { newId } from "@trunkline/core/id.ts";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { grantCredits, PostgresLedger } from "../../src/store/ledger/ledger.ts";
import { migrate } from "../../src/store/migrate.ts";
import { createMigratedDatabase, type TestDatabase } from "./test-database.ts";

/** A database of its own with the schema in it. */
export interface FreshStore {
  readonly database: Database;
  readonly address: TestDatabase["address"];
  /** An account with this many nano-credits; its provider's name is its id. */
  makeAccount(balance?: bigint): Promise<string>;
  /** A key of an account that may do nothing; its id. */
  makeKey(accountId: string): Promise<string>;
  /** The ledger as an instance sees it that lives as long as the test. */
  openLedger(instanceId?: string): Promise<PostgresLedger>;
  close(): Promise<void>;
}

export async function openFreshStore(): Promise<FreshStore> {
  const test = await createMigratedDatabase();
  return openStoreAt(test.address, () => test.drop());
}

/** The same on a database that is there already. */
export async function openStoreAt(
  address: TestDatabase["address"],
  drop: () => Promise<void> = async () => undefined,
): Promise<FreshStore> {
  // Connections are cut on purpose here and there; the statement that was hit says so itself.
  const database = openDatabase(address, () => undefined);
  await migrate(database);
  return {
    database,
    address,
    async makeAccount(balance = 0n) {
      const id = newId();
      await database.query("INSERT INTO accounts (id, name, provider) VALUES ($1, 'Test', $2)", [id, id]);
      if (balance > 0n) await grantCredits(database, id, balance, "test");
      return id;
    },
    async makeKey(accountId) {
      const id = newId();
      await database.query("INSERT INTO api_keys (id, account_id, name, scopes) VALUES ($1, $2, 'Test', '{}')", [
        id,
        accountId,
      ]);
      return id;
    },
    async openLedger(instanceId = newId()) {
      await database.query("INSERT INTO instances (id) VALUES ($1)", [instanceId]);
      return PostgresLedger.open(database, instanceId);
    },
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** Whether some statement is held up by another's lock. */
export async function isSomeoneWaiting({ database }: FreshStore): Promise<boolean> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await database.query(sql)).length > 0;
}
