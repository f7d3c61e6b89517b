import { newId } from "@trunkline/core/id.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { openDatabase } from "../database/database.ts";
import { auditLedger } from "./audit.ts";
import { grantCredits } from "./ledger.ts";
import { sealLedger } from "./seal-ledger.ts";

let store: FreshStore;
let accountId: string;

beforeEach(async () => {
  store = await openFreshStore();
  accountId = await store.makeAccount(100n);
});
afterEach(() => store.close());

const seals = () =>
  store.database.query<{ id: bigint; ids: string; transfers: bigint }>(
    "SELECT id, ids::text, transfers FROM ledger_seals ORDER BY id",
  );

/** What the audit says of the seals; nothing where all is well. */
async function troubleWithSeals(): Promise<string[]> {
  const { findings } = await auditLedger(store.database);
  return findings
    .filter(({ check }) => check === "seals" || check === "sealed")
    .flatMap(({ examples }) => [...examples]);
}

/** Changes what is forbidden: the guards are off meanwhile. */
async function tamper(statement: string): Promise<void> {
  await store.database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query(statement);
  });
}

describe("a seal", () => {
  it("covers what is new since the one before, and is not made where nothing is", async () => {
    expect(await sealLedger(store.database)).toBe(1);
    expect(await sealLedger(store.database)).toBe(0);
    await grantCredits(store.database, accountId, 5n, "one");
    await grantCredits(store.database, accountId, 6n, "two");
    expect(await sealLedger(store.database)).toBe(2);
    expect(await seals()).toEqual([
      { id: 1n, ids: "{[1,2)}", transfers: 1n },
      { id: 2n, ids: "{[2,4)}", transfers: 2n },
    ]);
    expect(await troubleWithSeals()).toEqual([]);
  });

  it("is left to the next time from where its pace ends it", async () => {
    await tamper(
      `INSERT INTO ledger_transfers (kind, debit, credit, amount)
       SELECT 'grant', 1, (SELECT id FROM ledger_accounts WHERE kind = 'customer'), 1 FROM generate_series(1, 6000)`,
    );
    const steps: number[] = [];
    const pace = async (stepMs: number) => steps.push(stepMs) < 2;
    expect(await sealLedger(store.database, pace)).toBe(5_000);
    expect(await sealLedger(store.database)).toBeGreaterThanOrEqual(1_000);
    expect(steps.every((ms) => ms > 0)).toBe(true);
    expect(await troubleWithSeals()).toEqual([]);
  });

  it("is not made over an empty ledger", async () => {
    await tamper("DELETE FROM ledger_transfers");
    expect(await sealLedger(store.database)).toBe(0);
    expect(await seals()).toEqual([]);
  });

  it("can't be changed or deleted", async () => {
    await sealLedger(store.database);
    for (const statement of [
      "UPDATE ledger_seals SET transfers = 0",
      "DELETE FROM ledger_seals",
      "TRUNCATE ledger_seals",
    ])
      await expect(store.database.query(statement)).rejects.toThrow("append-only");
  });

  it("is the same whatever the session's settings are", async () => {
    await sealLedger(store.database);
    for (const setting of ["TimeZone = 'Asia/Kathmandu'", "DateStyle = 'German'", "bytea_output = 'escape'"])
      await store.database.query(`ALTER DATABASE ${store.address.database} SET ${setting}`);
    const abroad = openDatabase(store.address, () => undefined);
    expect(await abroad.query("SHOW TimeZone")).toEqual([{ TimeZone: "Asia/Kathmandu" }]);
    const { findings } = await auditLedger(abroad);
    await abroad.close();
    expect(findings.find(({ check }) => check === "seals")?.verdict).toBe("sound");
  });

  it("leaves out the ids of what was rolled back", async () => {
    await store.database
      .transaction(async (connection) => {
        await grantCredits(connection, accountId, 1n, "never");
        throw new Error("Rolled back.");
      })
      .catch(() => undefined);
    await grantCredits(store.database, accountId, 2n, "after");
    expect(await sealLedger(store.database)).toBe(2);
    expect((await seals())[0]?.ids).toBe("{[1,2),[3,4)}");
    expect(await sealLedger(store.database)).toBe(0);
  });

  it("is split into several where much is new", async () => {
    await tamper(
      `INSERT INTO ledger_transfers (kind, debit, credit, amount)
       SELECT 'grant', 1, (SELECT id FROM ledger_accounts WHERE kind = 'customer'), 1 FROM generate_series(1, 25000)`,
    );
    expect(await sealLedger(store.database)).toBe(25_001);
    expect((await seals()).map(({ transfers }) => transfers)).toEqual([...Array<bigint>(10).fill(2_500n), 1n]);
    expect(await troubleWithSeals()).toEqual([]);
  });
});

describe("a transaction that is open while seals are made", () => {
  /** Grants inside a transaction that commits when the test says so. */
  async function holdOpen(memo: string) {
    const client = await store.database.connect("test");
    const connection = {
      query: async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
        (await client.query(text, [...values])).rows,
    };
    await connection.query("BEGIN");
    // Its number is drawn before its ids, as in every transaction that moves money.
    await connection.query("INSERT INTO settings VALUES ($1, '0')", [memo]);
    await connection.query(
      `INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
       SELECT 'grant', i.id, c.id, 1, $1 FROM ledger_accounts i, ledger_accounts c WHERE i.kind = 'issued' AND c.kind = 'customer'`,
      [memo],
    );
    return {
      commit: async () => {
        await client.query("COMMIT");
        await client.end();
      },
    };
  }

  it("is sealed after it has committed, although higher ids were sealed before", async () => {
    const open = await holdOpen("late");
    await grantCredits(store.database, accountId, 5n, "early");
    expect(await sealLedger(store.database)).toBe(2);
    await grantCredits(store.database, accountId, 5n, "early too");
    expect(await sealLedger(store.database)).toBe(1);
    expect(await sealLedger(store.database)).toBe(0);
    await open.commit();
    expect(await sealLedger(store.database)).toBe(1);
    expect((await seals()).map(({ ids }) => ids)).toEqual(["{[1,2),[3,4)}", "{[4,5)}", "{[2,3)}"]);
    expect(await sealLedger(store.database)).toBe(0);
  });

  it("is sealed once and is never lost, however many there are and whenever they end", async () => {
    const step = fc.oneof(
      fc.constant("open" as const),
      fc.constant("grant" as const),
      fc.constant("seal" as const),
      fc.nat(3),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const open: Awaited<ReturnType<typeof holdOpen>>[] = [];
        for (const next of steps) {
          if (next === "open") open.push(await holdOpen(newId()));
          else if (next === "grant") await grantCredits(store.database, accountId, 1n, "test");
          else if (next === "seal") await sealLedger(store.database);
          else await open.splice(next, 1)[0]?.commit();
        }
        for (const last of open) await last.commit();
        await sealLedger(store.database);
        const rows = await store.database.query<{ id: bigint }>(
          `SELECT t.id FROM ledger_transfers t LEFT JOIN ledger_seals s ON t.id <@ s.ids
           GROUP BY t.id HAVING count(s.id) <> 1`,
        );
        expect(rows).toEqual([]);
      }),
      { numRuns: 10, endOnFailure: true },
    );
    expect(await troubleWithSeals()).toEqual([]);
  });
});

describe("several sealers at once", () => {
  it("seal everything once, in one chain", async () => {
    const others = Array.from({ length: 3 }, () => openDatabase(store.address, () => undefined));
    const granting = Array.from({ length: 40 }, (_, at) => grantCredits(store.database, accountId, 1n, `grant ${at}`));
    const sealing = [store.database, ...others].flatMap((database) =>
      Array.from({ length: 5 }, () => sealLedger(database)),
    );
    await Promise.all([...granting, ...sealing]);
    await sealLedger(store.database);
    const sums = await store.database.query("SELECT sum(transfers)::int AS sealed FROM ledger_seals");
    expect(sums).toEqual([{ sealed: 41 }]);
    expect(await troubleWithSeals()).toEqual([]);
    await Promise.all(others.map((database) => database.close()));
  });
});

describe("after a restore on a server that counts its transactions from the start", () => {
  it("the old seals hold, and the chain goes on", async () => {
    await sealLedger(store.database);
    // To this server the seal's transaction is as far in the future as another server's would be.
    await tamper("UPDATE ledger_seals SET xid = '9000000000000'");
    await grantCredits(store.database, accountId, 5n, "after");
    expect(await sealLedger(store.database)).toBe(1);
    expect(await sealLedger(store.database)).toBe(0);
    expect(await troubleWithSeals()).toEqual([]);
  });
});

describe("a change of what was sealed", () => {
  beforeEach(async () => {
    for (const memo of ["a", "b", "c"]) {
      await grantCredits(store.database, accountId, 7n, memo);
      await sealLedger(store.database);
    }
  });

  it.each([
    ["an amount that was edited", "UPDATE ledger_transfers SET amount = 8 WHERE id = 3"],
    ["a memo that was edited", "UPDATE ledger_transfers SET memo = 'B' WHERE id = 3"],
    ["a memo that was taken away", "UPDATE ledger_transfers SET memo = NULL WHERE id = 3"],
    ["a moment that was edited", "UPDATE ledger_transfers SET created_at = created_at + interval '1 us' WHERE id = 3"],
    ["a row that was deleted", "DELETE FROM ledger_transfers WHERE id = 3"],
    [
      "two rows that changed places",
      `ALTER TABLE ledger_transfers ALTER id DROP IDENTITY;
       UPDATE ledger_transfers SET id = -id WHERE id IN (3, 4);
       UPDATE ledger_transfers SET id = 7 + id WHERE id < 0`,
    ],
    ["a seal that was made again", "UPDATE ledger_seals SET digest = sha256('') WHERE id = 2"],
    ["a seal that was taken away", "DELETE FROM ledger_seals WHERE id = 2"],
    ["a seal that names less", "UPDATE ledger_seals SET ids = '{}', transfers = 0 WHERE id = 2"],
    ["a seal without end", "UPDATE ledger_seals SET ids = '{[3,)}' WHERE id = 2"],
  ])("is found: %s", async (_what, statement) => {
    expect(await troubleWithSeals()).toEqual([]);
    await tamper(statement);
    expect((await troubleWithSeals())[0]).toMatch(/^seal [23]/);
  });
});
