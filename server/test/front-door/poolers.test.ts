import { expect, it } from "vitest";
import { createReadinessCheck, hasOwnSessions, openDatabase } from "../../src/store/database/database.ts";
import { PgBouncer } from "../support/pgbouncer.ts";
import { startService } from "../support/started-service.ts";
import { createMigratedDatabase } from "../support/test-database.ts";
import { TransactionPooler } from "../support/transaction-pooler.ts";

const REFUSAL =
  /a pooler in transaction mode stands before it\. Connect to PostgreSQL itself, or to a pooler in session mode/;

it("does not start behind a pooler in transaction mode with a single session, and says what to do", async () => {
  const pooler = new TransactionPooler();
  try {
    await expect(startService((config) => config, pooler.reach)).rejects.toThrow(REFUSAL);
  } finally {
    pooler.stop();
  }
});

it("does not start behind PgBouncer in transaction mode, however many sessions it has", async () => {
  const pooler = new PgBouncer("transaction");
  try {
    await expect(startService((config) => config, pooler.reach)).rejects.toThrow(REFUSAL);
  } finally {
    await pooler.stop();
  }
});

it("serves behind PgBouncer in session mode", async () => {
  const pooler = new PgBouncer("session");
  try {
    const service = await startService((config) => config, pooler.reach);
    expect((await service.call("GET", "/readyz")).status).toBe(200);
    const answer = await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "guide" });
    expect(answer.status).toBe(200);
    expect((await service.call("GET", "/v1/usage")).json.requests).toBe(1);
    await service.stop();
  } finally {
    await pooler.stop();
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
