import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { expectSoundLedger } from "../../test/support/ledger-state.ts";
import { sampleSettlement } from "../../test/support/sample-settlement.ts";
import { type Database, openDatabase, type Queryable } from "./database/database.ts";
import { Instance, releaseInstance } from "./instances.ts";
import { PostgresIdempotentRuns } from "./ledger/idempotent-runs.ts";
import { PostgresLedger } from "./ledger/ledger.ts";

describe("instances", () => {
  let store: FreshStore;
  /** Those still alive at the end of a test, to be seen off. */
  const alive = new Set<Instance>();

  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterEach(async () => {
    await expectSoundLedger(store.database);
    await Promise.all([...alive].map((instance) => instance.deregister()));
    for (const instance of alive) await waysIn.get(instance)?.close();
    alive.clear();
  });
  afterAll(() => store.close());

  /** Each instance's own way to the database, by which it would come back. */
  const waysIn = new Map<Instance, Database>();

  async function arrive() {
    const own = openDatabase(store.address, () => undefined);
    const instance = await Instance.register(own, newId());
    waysIn.set(instance, own);
    alive.add(instance);
    const ledger = await PostgresLedger.open(store.database, instance.id);
    return { instance, ledger, runs: new PostgresIdempotentRuns(store.database, instance.id) };
  }

  /** Cuts the connection that an instance's life hangs on, as a crash would, and waits until it is gone. */
  async function cut(instance: Instance): Promise<void> {
    const rows = await store.database.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(l.pid, 5000) AS ended FROM pg_locks l JOIN instances i ON l.objid = i.lock_key
     WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND i.id = $1`,
      [instance.id],
    );
    expect(rows).toEqual([{ ended: true }]);
  }

  /** The end of an instance that had no time to clean up, and has no way back. */
  async function kill(instance: Instance): Promise<void> {
    await waysIn.get(instance)?.close();
    await cut(instance);
    alive.delete(instance);
  }

  const isRegistered = async (instance: Instance) =>
    (await store.database.query("SELECT 1 FROM instances WHERE id = $1", [instance.id])).length === 1;

  const claimOf = (accountId: string, key: string) => ({
    accountId,
    path: "/v1/generate",
    key,
    fingerprint: Buffer.alloc(32),
    requestId: newId(),
  });

  describe("an instance that died", () => {
    it("is reclaimed: its unspent leases are returned", async () => {
      const [rich, poor] = [await store.makeAccount(1_000n), await store.makeAccount(10n)];
      const [dead, survivor] = [await arrive(), await arrive()];
      await dead.ledger.extendLease(balancePool(rich), 400n);
      await dead.ledger.extendLease(balancePool(poor), 10n);
      await dead.ledger.write([sampleSettlement({ accountId: rich, keyId: newId(), cost: 150n })]);
      await kill(dead.instance);

      expect(await survivor.instance.reclaimDeadInstances()).toBe(1);
      expect(await survivor.ledger.readPool(balancePool(rich))).toMatchObject({
        total: 850n,
        unleased: 850n,
      });
      expect(await survivor.ledger.readPool(balancePool(poor))).toMatchObject({ total: 10n, unleased: 10n });
      expect(await isRegistered(dead.instance)).toBe(false);
      expect(await survivor.instance.reclaimDeadInstances()).toBe(0);
    });

    it("leaves its unfinished idempotency keys free, and its finished answers in place", async () => {
      const accountId = await store.makeAccount();
      const [dead, survivor] = [await arrive(), await arrive()];
      const [finished, unfinished] = [claimOf(accountId, "finished"), claimOf(accountId, "unfinished")];
      await dead.runs.claim(finished);
      await dead.runs.claim(unfinished);
      const idempotent = { key: "finished", answer: { parts: [] } };
      await dead.ledger.write([
        sampleSettlement({ accountId, keyId: newId(), requestId: finished.requestId, idempotent }),
      ]);
      await kill(dead.instance);

      await survivor.instance.reclaimDeadInstances();
      expect(await survivor.runs.claim(claimOf(accountId, "unfinished"))).toEqual({ kind: "mine" });
      expect(await survivor.runs.claim(claimOf(accountId, "finished"))).toEqual({
        kind: "answered",
        answer: { parts: [] },
      });
    });

    it("is reclaimed once, although several instances find it at the same moment", async () => {
      const accountId = await store.makeAccount(100n);
      const dead = await arrive();
      const survivors = await Promise.all([arrive(), arrive(), arrive()]);
      await dead.ledger.extendLease(balancePool(accountId), 60n);
      await kill(dead.instance);
      await Promise.all(survivors.map(({ instance }) => instance.reclaimDeadInstances()));
      expect(await survivors[0]?.ledger.readPool(balancePool(accountId))).toMatchObject({
        total: 100n,
        unleased: 100n,
      });
    });
  });

  describe("an instance that lives", () => {
    it("is left alone, with its leases and its running keys", async () => {
      const accountId = await store.makeAccount(100n);
      const [living, other] = [await arrive(), await arrive()];
      await living.ledger.extendLease(balancePool(accountId), 60n);
      await living.runs.claim(claimOf(accountId, "running"));
      expect(await other.instance.reclaimDeadInstances()).toBe(0);
      expect(await living.instance.reclaimDeadInstances()).toBe(0);
      expect((await living.ledger.readPool(balancePool(accountId))).mine).toBe(60n);
      expect(await other.runs.claim(claimOf(accountId, "running"))).toEqual({ kind: "running" });
    });

    it("but was taken for dead when its connection broke loses no money, then or when it dies", async () => {
      const accountId = await store.makeAccount(100n);
      const [mistaken, survivor] = [await arrive(), await arrive()];
      await cut(mistaken.instance);
      await survivor.instance.reclaimDeadInstances();
      // It may be refused a lease from now on; if it is not, it must have found its way back among the living.
      const leased = await mistaken.ledger.extendLease(balancePool(accountId), 60n).catch(() => 0n);
      if (leased > 0n) {
        await expect.poll(() => isRegistered(mistaken.instance)).toBe(true);
        await kill(mistaken.instance);
      } else alive.delete(mistaken.instance);

      await survivor.instance.reclaimDeadInstances();
      expect(await survivor.ledger.readPool(balancePool(accountId))).toMatchObject({
        total: 100n,
        unleased: 100n,
      });
    });
  });

  describe("an instance that leaves", () => {
    it("leaves no lease behind", async () => {
      const accountId = await store.makeAccount(100n);
      const [leaving, staying] = [await arrive(), await arrive()];
      await leaving.ledger.extendLease(balancePool(accountId), 60n);
      await leaving.ledger.write([sampleSettlement({ accountId, keyId: newId(), cost: 25n })]);
      await leaving.runs.claim(claimOf(accountId, "running"));
      await leaving.instance.deregister();
      alive.delete(leaving.instance);

      expect(await staying.ledger.readPool(balancePool(accountId))).toMatchObject({
        total: 75n,
        unleased: 75n,
      });
      expect(await staying.runs.claim(claimOf(accountId, "running"))).toEqual({ kind: "mine" });
      expect(await isRegistered(leaving.instance)).toBe(false);
      expect(await staying.instance.reclaimDeadInstances()).toBe(0);
    });

    it("that had leased nothing leaves just as well", async () => {
      const { instance } = await arrive();
      await instance.deregister();
      alive.delete(instance);
      expect(await isRegistered(instance)).toBe(false);
    });
  });
});

describe("instances.orphans", () => {
  let store: FreshStore;
  const opened: Database[] = [];

  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterEach(async () => {
    await expectSoundLedger(store.database);
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
    it("leases nothing any more, even for a late charge", async () => {
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

    it("has orphaned leases returned, of balances and budgets", async () => {
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

  describe("reclaiming", () => {
    it("spares an instance that was reclaimed by another and has registered again with another lock", async () => {
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
});
