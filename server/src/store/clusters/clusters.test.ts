import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { createMigratedDatabase } from "../../../test/support/test-database.ts";
import { findTroubles, openTwoClusters } from "../../../test/support/two-clusters.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { Instance } from "../instances.ts";
import { AccountElsewhere, requireAccountHere } from "../ledger/account-gate.ts";
import { debitAccount } from "../ledger/debts.ts";
import { PostgresIdempotentRuns } from "../ledger/idempotent-runs.ts";
import { creditAccount, grantCredits, PostgresLedger } from "../ledger/ledger.ts";
import { PostgresLiabilityProofs } from "../ledger/liability-proofs.ts";
import { accountsElsewhere } from "./accounts-elsewhere.ts";
import { ClusterLedger } from "./cluster-ledger.ts";
import { type Cluster, identifyClusters, requireSingleDatabase } from "./cluster-registry.ts";
import { ClusterTransfers } from "./cluster-transfers.ts";
import { mendPlacements, moveAccount } from "./move-account.ts";
import { Placements } from "./placements.ts";
import { ClusterSweeper } from "./sweep-clusters.ts";

let clusters: readonly Cluster[];
let home: Database;
let other: Database;
let opened: Awaited<ReturnType<typeof openTwoClusters>>;
let placements: Placements;
let transfers: ClusterTransfers;
let sweeper: ClusterSweeper;

beforeAll(async () => {
  opened = await openTwoClusters();
  clusters = opened.clusters;
  [home, other] = clusters.map(({ database }) => database) as [Database, Database];
});
beforeEach(() => {
  placements = new Placements(home);
  transfers = new ClusterTransfers(clusters);
  sweeper = new ClusterSweeper(clusters, placements, transfers, (error) => {
    throw error;
  });
});
afterAll(() => opened.close());

class Killed extends Error {}

/** The sample settlements have a price of no model. */
const troubles = () => findTroubles(clusters, ["prices"]);

async function openAccount(amount: bigint): Promise<string> {
  const id = newId();
  await home.query("INSERT INTO accounts (id, name, provider) VALUES ($1, 'Test', $2)", [id, id]);
  if (amount > 0n) await grantCredits(home, id, amount, "test");
  return id;
}

async function move(accountId: string, to: number): Promise<void> {
  await moveAccount(clusters, accountId, to);
  await placements.reload();
}

const balanceOn = async (database: Database, accountId: string) => {
  const [row] = await database.query<{ balance: bigint }>(
    "SELECT coalesce(sum(balance), 0)::bigint AS balance FROM ledger_accounts WHERE account_id = $1 AND kind IN ('customer', 'lease')",
    [accountId],
  );
  return row?.balance;
};

const isOpen = async (database: Database, accountId: string) =>
  (await database.query("SELECT 1 FROM accounts WHERE id = $1 AND left_at IS NULL", [accountId])).length === 1;

/** The ledger of one cluster, as a new instance sees it. */
async function openLedger(number: number) {
  const database = number === 1 ? home : other;
  const instance = await Instance.register(database, newId());
  const own = await PostgresLedger.open(database, instance.id, async () => undefined, requireAccountHere);
  const databaseOf = (which: number) => (which === 1 ? home : other);
  const context = { number, instanceId: instance.id, home, databaseOf, placements, transfers };
  return { instance, ledger: new ClusterLedger(own, context) };
}

describe("credits between clusters", () => {
  it.each(["sent", "received"] as const)("arrive once where the process ends after they were %s", async (step) => {
    const id = await openAccount(100n);
    await move(id, 2);
    const dying = new ClusterTransfers(clusters, (done) => {
      if (done === step) throw new Killed();
    });
    await expect(dying.move("customer", id, 1, 2)).rejects.toThrow(Killed);
    expect(await balanceOn(home, id)).toBe(0n);
    expect(await balanceOn(other, id)).toBe(step === "sent" ? 0n : 100n);
    await Promise.all([transfers.resume(), transfers.resume(), transfers.resume()]);
    expect(await balanceOn(other, id)).toBe(100n);
    expect(await troubles()).toEqual([]);
  });

  it("that are on their way can be leased where they go", async () => {
    const id = await openAccount(100n);
    await move(id, 2);
    const dying = new ClusterTransfers(clusters, () => {
      throw new Killed();
    });
    await expect(dying.move("customer", id, 1, 2)).rejects.toThrow(Killed);
    const { instance, ledger } = await openLedger(2);
    expect(await ledger.readPool(balancePool(id))).toEqual({ total: 100n, unleased: 100n, mine: 0n });
    expect(await ledger.extendLease(balancePool(id), 100n)).toBe(100n);
    await instance.deregister();
  });

  it("are found by the audit where one side was changed", async () => {
    const id = await openAccount(50n);
    await move(id, 2);
    await transfers.move("customer", id, 1, 2);
    const lost = "UPDATE cluster_transfers SET amount = $2 WHERE account_id = $1 AND side = 'in'";
    await other.query(lost, [id, 49n]);
    const found = await troubles();
    expect(found.some((trouble) => trouble.startsWith("cluster 2, cluster-transfers"))).toBe(true);
    expect(found.some((trouble) => trouble.startsWith("between-clusters"))).toBe(true);
    await other.query(lost, [id, 50n]);
  });
});

describe("a move that is broken off", () => {
  it.each([
    ["copied", 1],
    ["closed", 1],
    ["opened", 1],
    ["recorded", 2],
  ] as const)("after it was %s leaves the account on cluster %i, where it can spend", async (step, where) => {
    const id = await openAccount(80n);
    const dying = moveAccount(clusters, id, 2, (done) => {
      if (done === step) throw new Killed();
    });
    await expect(dying).rejects.toThrow(Killed);
    await mendPlacements(clusters);
    await placements.reload();
    expect(placements.of(id).cluster).toBe(where);
    expect([await isOpen(home, id), await isOpen(other, id)]).toEqual([where === 1, where === 2]);
    const { instance, ledger } = await openLedger(where);
    expect(await ledger.extendLease(balancePool(id), 80n)).toBe(80n);
    await ledger.write([sampleSettlement({ accountId: id, keyId: newId(), cost: 30n })]);
    await instance.deregister();
    await move(id, where === 1 ? 2 : 1);
    await sweeper.moveMoney();
    expect(await balanceOn(where === 1 ? other : home, id)).toBe(50n);
    expect(await troubles()).toEqual([]);
  });

  it("is not taken for broken off while it runs", async () => {
    const id = await openAccount(0n);
    let mended: Promise<void> | undefined;
    await moveAccount(clusters, id, 2, (step) => {
      if (step === "closed") mended = mendPlacements(clusters);
    });
    await mended;
    expect([await isOpen(home, id), await isOpen(other, id)]).toEqual([false, true]);
  });
});

describe("an account that has left", () => {
  it("can neither lease nor claim a key there, and its running requests are charged there", async () => {
    const id = await openAccount(100n);
    const { instance, ledger } = await openLedger(1);
    const leased = await ledger.extendLease(balancePool(id), 40n);
    await move(id, 2);
    await ledger.write([sampleSettlement({ accountId: id, keyId: newId(), cost: 40n })]);
    await expect(ledger.extendLease(balancePool(id), 10n)).rejects.toThrow(AccountElsewhere);
    const budget = { kind: "budget", keyId: newId(), accountId: id, period: "total", startsAt: undefined } as const;
    await expect(ledger.extendLease({ ...budget, limit: 5n }, 1n)).rejects.toThrow(AccountElsewhere);
    const runs = new PostgresIdempotentRuns(home, instance.id, undefined, true);
    const claim = { accountId: id, path: "/x", key: "k", fingerprint: Buffer.from("f"), requestId: newId() };
    await expect(runs.claim(claim)).rejects.toThrow(AccountElsewhere);
    expect(await new PostgresIdempotentRuns(other, instance.id, undefined, true).claim(claim)).toEqual({
      kind: "mine",
    });
    await ledger.returnLease(balancePool(id), leased - 40n);
    await sweeper.moveMoney();
    expect([await balanceOn(home, id), await balanceOn(other, id)]).toEqual([0n, 60n]);
    await instance.deregister();
    expect(await troubles()).toEqual([]);
  });

  it("pays what it owes at home from where it spends", async () => {
    const id = await openAccount(0n);
    await creditAccount(home, "purchase", id, 100n, "card");
    await move(id, 2);
    await sweeper.moveMoney();
    await home.transaction(async (connection) => {
      await connection.query("SELECT 1 FROM ledger_accounts WHERE account_id = $1 AND kind = 'customer' FOR UPDATE", [
        id,
      ]);
      await debitAccount(connection, "dispute", id, 30n, "disputed");
    });
    const { instance, ledger } = await openLedger(2);
    expect(await ledger.readDebt(id)).toBe(30n);
    await sweeper.moveMoney();
    expect(await ledger.readDebt(id)).toBe(0n);
    expect(await balanceOn(other, id)).toBe(70n);
    await instance.deregister();
  });

  it("is in the proof of liabilities with all that it has, once", async () => {
    const id = await openAccount(100n);
    await move(id, 2);
    await transfers.move("customer", id, 1, 2, 60n);
    const proofs = new PostgresLiabilityProofs(home, accountsElsewhere(clusters, placements, transfers));
    await proofs.make();
    expect((await proofs.find(id))?.amount).toBe("100");
  });

  it.each([
    ["of the operator", true, "operator's own account"],
    ["that no one has", false, "no such account"],
  ] as const)("can't be one %s", async (_what, operator, words) => {
    const id = newId();
    if (operator)
      await home.query("INSERT INTO accounts (id, name, provider, operator) VALUES ($1, 'O', 'operator', true)", [id]);
    await expect(moveAccount(clusters, id, 2)).rejects.toThrow(words);
    await expect(moveAccount(clusters, id, 9)).rejects.toThrow("no cluster 9");
  });
});

describe("databases that don't belong together", () => {
  it("are refused with a sentence", async () => {
    const test = await createMigratedDatabase();
    const stranger = openDatabase(test.address, () => undefined);
    await expect(identifyClusters([other, home])).rejects.toThrow("The home cluster must come first");
    await expect(identifyClusters([home, other, other])).rejects.toThrow("named twice");
    await expect(identifyClusters([home])).rejects.toThrow("lacks cluster 2");
    await expect(identifyClusters([stranger, other])).rejects.toThrow("belongs to another service");
    await expect(requireSingleDatabase(home)).rejects.toThrow("Name all of them in DATABASE_URLS");
    await expect(requireSingleDatabase(other)).rejects.toThrow("cluster 2 of a service with several");
    await stranger.query("INSERT INTO accounts (id, name, provider) VALUES ($1, 'Test', 'x')", [newId()]);
    await expect(requireSingleDatabase(stranger)).resolves.toBeUndefined();
    const fresh = await createMigratedDatabase();
    const used = openDatabase(fresh.address, () => undefined);
    await used.query("INSERT INTO accounts (id, name, provider) VALUES ($1, 'Test', 'x')", [newId()]);
    await expect(identifyClusters([home, other, used])).rejects.toThrow("has accounts of its own");
    for (const database of [stranger, used]) await database.close();
    for (const made of [test, fresh]) await made.drop();
  });

  it("are found again in any order of the others", async () => {
    expect((await identifyClusters([home, other])).map(({ number }) => number)).toEqual([1, 2]);
  });
});
