import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectSoundBooks } from "../../../test/support/books.ts";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { PostgresIdempotentRuns } from "../ledger/idempotent-runs.ts";
import { PostgresLedger } from "../ledger/ledger.ts";
import { type Database, openDatabase, type Queryable } from "./database.ts";
import { Instance } from "./instances.ts";
import { releaseInstance } from "./return-everything.ts";

let store: FreshStore;
const opened: Database[] = [];

beforeAll(async () => {
  store = await openFreshStore();
});
afterEach(async () => {
  await expectSoundBooks(store.database);
  for (const database of opened.splice(0)) await database.close();
});
afterAll(() => store.close());

/** A way to the database that a test may close when it is done. */
function ownWay(): Database {
  const database = openDatabase(store.address, () => undefined);
  opened.push(database);
  return database;
}

const isRegistered = async (id: string) =>
  (await store.database.query("SELECT 1 FROM instances WHERE id = $1", [id])).length === 1;

/** Cuts the connection that an instance's life hangs on. */
const cut = (id: string) =>
  store.database.query(
    `SELECT pg_terminate_backend(l.pid, 5000) FROM pg_locks l JOIN instances i ON l.objid = i.lock_key
     WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND i.id = $1`,
    [id],
  );

describe("an instance that has left", () => {
  it("leases nothing any more, however late its last charge comes", async () => {
    const accountId = await store.makeAccount(8_000n);
    const own = ownWay();
    const leaving = await Instance.register(own, newId());
    const ledger = await PostgresLedger.open(own, leaving.id);
    await ledger.extendLease(balancePool(accountId), 1_000n);
    await leaving.deregister();
    const late = sampleSettlement({ accountId, keyId: newId(), cost: 10n });
    await expect(ledger.write([late])).rejects.toMatchObject({ type: "unavailable" });
    expect(await ledger.readPool(balancePool(accountId))).toEqual({
      total: 8_000n,
      unleased: 8_000n,
      mine: 0n,
    });
  });

  it("has returned what lies in its name all the same, balances and budgets", async () => {
    const accountId = await store.makeAccount(8_000n);
    const keyId = await store.makeKey(accountId);
    const gone = newId();
    const ledger = await store.openLedger(gone);
    const budget = { kind: "budget", keyId, period: "total", startsAt: undefined, limit: 800n } as const;
    await ledger.extendLease(balancePool(accountId), 1_000n);
    await ledger.extendLease(budget, 100n);
    await store.database.query("DELETE FROM instances WHERE id = $1", [gone]);
    const next = await Instance.register(ownWay(), newId());
    await next.returnOrphanedLeases();
    expect(await ledger.readPool(balancePool(accountId))).toMatchObject({ unleased: 8_000n, mine: 0n });
    expect(await ledger.readPool(budget)).toMatchObject({ unleased: 800n, mine: 0n });
    await next.deregister();
  });
});

describe("a burial", () => {
  it("spares one that was buried by another and has come back with another lock", async () => {
    const [listed, go] = [newGate(), newGate()];
    let returns = 0;
    const mistaken = await Instance.register(ownWay(), newId(), () => {
      returns++;
    });
    const way = ownWay();
    const slow: Database = {
      ...way,
      transaction: async (work) => {
        listed.open();
        await go.opened;
        return way.transaction(work);
      },
    };
    const late = await Instance.register(slow, newId());
    const burial = late.reclaimDeadInstances();
    await listed.opened;
    await store.database.query("DELETE FROM instances WHERE id = $1", [mistaken.id]);
    await cut(mistaken.id);
    // Its lock went with its row: only the connection's own end can tell it.
    await store.database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'trunkline instance'",
    );
    await expect.poll(() => returns).toBeGreaterThan(0);
    await expect.poll(() => isRegistered(mistaken.id)).toBe(true);
    go.open();
    await burial;
    expect(await isRegistered(mistaken.id)).toBe(true);
    for (const instance of [mistaken, late]) await instance.deregister();
  });

  it("and a charge of the same instance wait for each other in one order", async () => {
    const accountId = await store.makeAccount(8_000n);
    const id = newId();
    const ledger = await store.openLedger(id);
    await ledger.extendLease(balancePool(accountId), 1_000n);
    const charge = sampleSettlement({
      accountId,
      keyId: newId(),
      cost: 10n,
      idempotent: { key: "k", answer: {} },
    });
    await new PostgresIdempotentRuns(store.database, id).claim({
      accountId,
      path: charge.path,
      key: "k",
      fingerprint: Buffer.alloc(32),
      requestId: charge.requestId,
    });
    const [begun, go] = [newGate(), newGate()];
    const burial = store.database.transaction((connection) => {
      const halting: Queryable = {
        query: async (text, values) => {
          if (text.includes("UPDATE budget_leases")) {
            begun.open();
            await go.opened;
          }
          return connection.query(text, values);
        },
      };
      return releaseInstance(halting, id);
    });
    await begun.opened;
    const writing = ledger.write([charge]);
    go.open();
    await burial;
    // Its key and its lease are gone: it is neither charged nor broken by a deadlock.
    expect((await writing).lost).toEqual(new Set([charge.requestId]));
    expect(await ledger.readPool(balancePool(accountId))).toMatchObject({ total: 8_000n, mine: 0n });
  });
});
