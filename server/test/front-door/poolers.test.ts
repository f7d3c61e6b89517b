import { expect, it } from "vitest";
import { createReadinessCheck, hasOwnSessions, openDatabase } from "../../src/store/database/database.ts";
import { startService } from "../support/started-service.ts";
import { createMigratedDatabase } from "../support/test-database.ts";
import { TransactionPooler } from "../support/transaction-pooler.ts";

it("does not start behind a pooler in transaction mode, and says what to do", async () => {
  const pooler = new TransactionPooler();
  try {
    await expect(startService((config) => config, pooler.reach)).rejects.toThrow(
      /a pooler in transaction mode stands before it\. Connect to PostgreSQL itself, or to a pooler in session mode/,
    );
  } finally {
    pooler.stop();
  }
});

it("is not ready where a pooler in transaction mode has come between", async () => {
  const store = await createMigratedDatabase();
  const pooler = new TransactionPooler();
  const database = openDatabase(await pooler.reach(store.address), () => undefined);
  const direct = openDatabase(store.address, () => undefined);
  try {
    await expect.poll(createReadinessCheck(direct)).toBe(true);
    expect(await hasOwnSessions(database)).toBe(false);
    expect(await createReadinessCheck(database)()).toBe(false);
  } finally {
    await Promise.all([database.close(), direct.close()]);
    pooler.stop();
    await store.drop();
  }
});

it("is not ready while the connection of the settlements fails, though the others answer", async () => {
  const check = createReadinessCheck({
    query: async () => [],
    prepared: async () => Promise.reject(new Error('prepared statement "session" does not exist')),
  });
  expect(await check()).toBe(false);
});
