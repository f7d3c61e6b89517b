import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { type BalanceProof, findProofMistake } from "../../cli/balance-proof.ts";
import { PostgresLiabilityProofs } from "./liability-proofs.ts";

/** How many accounts the large tree has; `npm run chaos`-sized runs set it to 100,000. */
const ACCOUNTS = Number(process.env.PROOF_ACCOUNTS ?? 300);

let store: FreshStore;
let proofs: PostgresLiabilityProofs;

beforeAll(async () => {
  store = await openFreshStore();
  proofs = new PostgresLiabilityProofs(store.database);
});
afterAll(() => store.close());

async function proofOf(accountId: string): Promise<BalanceProof> {
  const proof = await proofs.find(accountId);
  if (proof === undefined) throw new Error("The account is in no proof.");
  return proof;
}

const flip = (hash: string) => `${hash.startsWith("0") ? "1" : "0"}${hash.slice(1)}`;

describe("a proof of liabilities", () => {
  it("of a service without accounts owes nothing", async () => {
    expect(await proofs.make()).toMatchObject({ total: 0n, accounts: 0 });
    expect(await proofs.find(newId())).toBeUndefined();
  });

  it("proves each account's amount, in trees of any size", async () => {
    const ids: string[] = [];
    let total = 0n;
    for (let count = 1; count <= 9; count++) {
      const amount = BigInt(count) * 1_000n;
      ids.push(await store.makeAccount(amount));
      total += amount;
      const made = await proofs.make();
      expect(made).toMatchObject({ total, accounts: count });
      for (const [index, id] of ids.entries()) {
        const proof = await proofOf(id);
        expect(proof).toMatchObject({ amount: String((index + 1) * 1_000), total: String(total), root: made.root });
        expect(findProofMistake(proof)).toBeUndefined();
      }
    }
    // What is leased, and what a provider is owed, is owed as well.
    const [first = ""] = ids;
    await store.database.query("UPDATE ledger_accounts SET balance = balance - 300 WHERE account_id = $1", [first]);
    await store.database.query(
      `INSERT INTO ledger_accounts (kind, account_id, instance_id, balance)
       VALUES ('lease', $1, $2, 300), ('payable', $1, NULL, 20), ('payout', $1, NULL, 3)`,
      [first, newId()],
    );
    expect(await proofs.make()).toMatchObject({ total: total + 23n, accounts: 9 });
    const proof = await proofOf(first);
    expect(proof.amount).toBe("1023");
    expect(findProofMistake(proof)).toBeUndefined();
  });

  it("is refused by the check with any part of it changed", async () => {
    const [one, other] = [await store.makeAccount(500n), await store.makeAccount(700n)];
    await proofs.make();
    const proof = await proofOf(one);
    const changed = (change: Partial<BalanceProof>) => findProofMistake({ ...proof, ...change });
    expect(changed({})).toBeUndefined();
    expect(changed({ amount: "501" })).toContain("adds up to");
    expect(changed({ amount: "501", total: String(BigInt(proof.total) + 1n) })).toContain("root");
    expect(changed({ amount: "-500" })).toContain("whole number");
    expect(changed({ amount: "0500" })).toContain("whole number");
    expect(changed({ amount: String(2n ** 63n) })).toContain("whole number");
    expect(changed({ total: String(BigInt(proof.total) - 1n) })).toContain("adds up to");
    expect(changed({ salt: flip(proof.salt) })).toContain("root");
    expect(changed({ root: flip(proof.root) })).toContain("root");
    // Another account's leaf, and the own one in another's place.
    expect(changed({ account_id: other })).toContain("root");
    expect(changed({ path: (await proofOf(other)).path })).toBeDefined();
    for (const [index, step] of proof.path.entries()) {
      const withStep = (change: Partial<typeof step>) =>
        changed({ path: proof.path.with(index, { ...step, ...change }) });
      expect(withStep({ side: step.side === "left" ? "right" : "left" })).toContain("root");
      expect(withStep({ hash: flip(step.hash) })).toContain("root");
      expect(withStep({ sum: `-${step.sum}` })).toContain("whole number");
      expect(withStep({ sum: String(BigInt(step.sum) + 1n) })).toContain("adds up to");
      expect(withStep({ sum: String(2n ** 63n - 1n) })).toContain("too large");
    }
    const swapped = [proof.path[1], proof.path[0], ...proof.path.slice(2)].flatMap((step) => step ?? []);
    expect(changed({ path: swapped })).toContain("root");
    expect(changed({ path: proof.path.slice(1) })).toBeDefined();
    expect(
      changed({ path: Array.from({ length: 65 }, () => ({ side: "left", hash: proof.root, sum: "0" })) }),
    ).toContain("longer");
  });

  it("has other salts each time, so that two proofs can't be compared leaf by leaf", async () => {
    const id = await store.makeAccount(1n);
    await proofs.make();
    const { salt, root } = await proofOf(id);
    await proofs.make();
    expect(await proofOf(id)).not.toMatchObject({ salt });
    expect((await proofOf(id)).root).not.toBe(root);
  });

  it("reads each level of its tree once, also where PostgreSQL knows the table as empty", async () => {
    const fresh = await openFreshStore();
    try {
      const count = 500;
      await fresh.database.query(
        `WITH made AS (
           INSERT INTO accounts (id, name, provider) SELECT id, 'Many', id::text FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1)) x RETURNING id
         ) INSERT INTO ledger_accounts (kind, account_id, balance) SELECT 'customer', id, 1 FROM made`,
        [count],
      );
      await fresh.database.query("VACUUM (ANALYZE) liability_nodes");
      await new PostgresLiabilityProofs(fresh.database).make();
      const rowsRead = async () => {
        await fresh.database.query("SELECT pg_stat_force_next_flush()");
        const [row] = await fresh.database.query<{ read: bigint }>(
          `SELECT seq_tup_read + (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes i WHERE i.relid = t.relid) AS read
           FROM pg_stat_user_tables t WHERE relname = 'liability_nodes'`,
        );
        return Number(row?.read ?? 0n);
      };
      await expect.poll(rowsRead).toBeGreaterThanOrEqual(count);
      expect(await rowsRead()).toBeLessThan(count * 20);
    } finally {
      await fresh.close();
    }
  });

  it("is made once a night, by any number of instances", async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => proofs.makeNightly()));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await proofs.makeNightly()).toBe(false);
  });

  it("keeps the trees of the newest only, and every root", async () => {
    for (let round = 0; round < 8; round++) await proofs.make();
    const trees = await store.database.query("SELECT DISTINCT proof_id FROM liability_nodes");
    expect(trees).toHaveLength(7);
    expect((await proofs.list(100)).length).toBeGreaterThan(15);
    await expect(store.database.query("UPDATE liability_proofs SET total = 0")).rejects.toThrow("append-only");
  });

  it(`of ${ACCOUNTS} accounts has a path for each`, async () => {
    await store.database.query(
      `WITH made AS (
         INSERT INTO accounts (id, name, provider) SELECT id, 'Many', id::text FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1)) x RETURNING id
       ) INSERT INTO ledger_accounts (kind, account_id, balance) SELECT 'customer', id, (random() * 1000000)::bigint FROM made`,
      [ACCOUNTS],
    );
    const startedAt = performance.now();
    const { accounts, total } = await proofs.make();
    const madeMs = performance.now() - startedAt;
    expect(accounts).toBeGreaterThanOrEqual(ACCOUNTS);
    const sample = await store.database.query<{ id: string }>("SELECT id FROM accounts ORDER BY random() LIMIT 20");
    const readAt = performance.now();
    for (const { id } of sample) {
      const proof = await proofOf(id);
      expect(proof.total).toBe(String(total));
      expect(findProofMistake(proof)).toBeUndefined();
    }
    if (process.env.PROOF_ACCOUNTS !== undefined) {
      const { heapUsed, rss } = process.memoryUsage();
      process.stdout.write(
        `${accounts} accounts: ${madeMs.toFixed(0)} ms; a path ${((performance.now() - readAt) / 20).toFixed(1)} ms; heap ${heapUsed >> 20} MiB, rss ${rss >> 20} MiB\n`,
      );
    }
  });
});
