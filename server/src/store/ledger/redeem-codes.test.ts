import { newId } from "@trunkline/core/id.ts";
import { newToken } from "@trunkline/core/secret.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore, openStoreAt } from "../../../test/support/fresh-store.ts";
import { expectSoundLedger } from "../../../test/support/ledger-state.ts";
import type { CodeTerms } from "../../ledger/billing/redeem-codes.ts";
import { auditLedger } from "./audit.ts";
import { PostgresRedeemCodes } from "./redeem-codes.ts";

let store: FreshStore;
let other: FreshStore;
let codes: PostgresRedeemCodes;

beforeAll(async () => {
  store = await openFreshStore();
  other = await openStoreAt(store.address);
  codes = new PostgresRedeemCodes(store.database);
});
afterAll(async () => {
  await other.close();
  await store.close();
});

const TERMS: CodeTerms = { amount: 5_000n, uses: 1, note: "a test's", expiresAt: undefined };

async function makeCode(terms: Partial<CodeTerms> = {}) {
  const code = { id: newId(), hash: Buffer.from(newToken()), hint: "TL-TEST…" };
  await codes.add([code], { ...TERMS, ...terms });
  return code;
}

async function balanceOf(accountId: string): Promise<bigint> {
  const rows = await store.database.query<{ balance: bigint }>(
    "SELECT coalesce(sum(balance), 0)::bigint AS balance FROM ledger_accounts WHERE account_id = $1",
    [accountId],
  );
  return rows[0]?.balance ?? 0n;
}

async function redeemedOf(codeId: string): Promise<number> {
  const rows = await store.database.query("SELECT 1 FROM redemptions WHERE code_id = $1", [codeId]);
  return rows.length;
}

/** The checks of the ledger that do not hold. */
async function broken(): Promise<string[]> {
  const { findings } = await auditLedger(store.database);
  return findings.filter(({ verdict }) => verdict !== "sound").map(({ check }) => check);
}

describe("a code", () => {
  it("adds its credits, with a receipt that is numbered", async () => {
    const accountId = await store.makeAccount(100n);
    const year = new Date().getUTCFullYear();
    for (const place of [2, 3]) {
      const { hash } = await makeCode();
      expect(await codes.redeem(accountId, hash)).toEqual({
        outcome: "redeemed",
        amount: 5_000n,
        balance: 100n + BigInt(place - 1) * 5_000n,
        number: `TL-${year}-000${place}`,
        hint: "TL-TEST…",
      });
    }
  });

  it("counts once for an account, on any number of concurrent redemptions", async () => {
    const accountId = await store.makeAccount();
    const { id, hash } = await makeCode({ uses: 100 });
    const instances = [codes, new PostgresRedeemCodes(other.database)];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => (await instances[place % 2]?.redeem(accountId, hash))?.outcome),
    );
    expect(outcomes.filter((outcome) => outcome === "redeemed")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "repeated")).toHaveLength(19);
    expect(await balanceOf(accountId)).toBe(5_000n);
    expect(await redeemedOf(id)).toBe(1);
  });

  it("for 10 uses is redeemed 10 times by 50 concurrent accounts", async () => {
    const { id, hash } = await makeCode({ uses: 10 });
    const accounts = await Promise.all(Array.from({ length: 50 }, () => store.makeAccount()));
    const instances = [codes, new PostgresRedeemCodes(other.database)];
    const outcomes = await Promise.all(
      accounts.map(async (accountId, place) => (await instances[place % 2]?.redeem(accountId, hash))?.outcome),
    );
    expect(outcomes.filter((outcome) => outcome === "redeemed")).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === "used")).toHaveLength(40);
    const balances = await Promise.all(accounts.map(balanceOf));
    expect(balances.filter((balance) => balance === 5_000n)).toHaveLength(10);
    expect(balances.reduce((sum, balance) => sum + balance, 0n)).toBe(50_000n);
    expect(await redeemedOf(id)).toBe(10);
    expect(await broken()).toEqual([]);
    await expectSoundLedger(store.database);
  });

  it("gives exactly its uses, for any number of uses and concurrent accounts", async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => store.makeAccount()));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(5), { minLength: 1, maxLength: 16 }),
        async (uses, rush) => {
          const { id, hash } = await makeCode({ uses });
          const outcomes = await Promise.all(
            rush.map(async (account) => (await codes.redeem(accounts[account] ?? "", hash)).outcome),
          );
          const expected = Math.min(uses, new Set(rush).size);
          expect(outcomes.filter((outcome) => outcome === "redeemed")).toHaveLength(expected);
          expect(await redeemedOf(id)).toBe(expected);
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
    expect(await broken()).toEqual([]);
  });

  it("gives nothing once it has expired, was stopped, or where there is none", async () => {
    const accountId = await store.makeAccount();
    const expired = await makeCode({ expiresAt: new Date(Date.now() - 1_000) });
    expect(await codes.redeem(accountId, expired.hash)).toEqual({ outcome: "expired" });
    const stopped = await makeCode();
    expect(await codes.stop(stopped.id)).toBe(true);
    expect(await codes.stop(stopped.id)).toBe(true);
    expect(await codes.stop(newId())).toBe(false);
    expect(await codes.redeem(accountId, stopped.hash)).toEqual({ outcome: "stopped" });
    expect(await codes.redeem(accountId, Buffer.from("nothing"))).toEqual({ outcome: "unknown" });
    expect(await balanceOf(accountId)).toBe(0n);
  });

  it("leaves nothing behind where its transaction fails at the end", async () => {
    const accountId = await store.makeAccount();
    const { id, hash } = await makeCode();
    await store.database.query("ALTER TABLE redemptions ADD CONSTRAINT never CHECK (false) NOT VALID");
    try {
      await expect(codes.redeem(accountId, hash)).rejects.toThrow();
    } finally {
      await store.database.query("ALTER TABLE redemptions DROP CONSTRAINT never");
    }
    expect(await balanceOf(accountId)).toBe(0n);
    expect(await redeemedOf(id)).toBe(0);
    expect(await codes.redeem(accountId, hash)).toMatchObject({ outcome: "redeemed" });
  });
});

describe("the audit", () => {
  const tamper = (statement: string, values: readonly unknown[]) =>
    store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query(statement, values);
    });

  it.each([
    ["a redemption that is gone", "DELETE FROM redemptions WHERE code_id = $1"],
    ["a code that was used more often than it says", "UPDATE redeem_codes SET used = 0 WHERE id = $1"],
    ["a code that was worth something else", "UPDATE redeem_codes SET amount = amount + 1 WHERE id = $1"],
    [
      "a redemption for an account that did not get it",
      "UPDATE redemptions SET account_id = gen_random_uuid() WHERE code_id = $1",
    ],
    ["a redemption whose movement is another's", "UPDATE redemptions SET transfer_id = 0 WHERE code_id = $1"],
  ])("finds %s", async (_what, statement) => {
    const fresh = await openFreshStore();
    const kept = [store, codes] as const;
    [store, codes] = [fresh, new PostgresRedeemCodes(fresh.database)];
    try {
      const { id, hash } = await makeCode();
      await codes.redeem(await store.makeAccount(), hash);
      expect(await broken()).toEqual([]);
      await tamper(statement, [id]);
      expect(await broken()).toEqual(["redemptions"]);
    } finally {
      await fresh.close();
      [store, codes] = kept;
    }
  });
});

describe("the list of codes", () => {
  it("has the state of each, and finds them by state and text", async () => {
    const note = newId();
    const accountId = await store.makeAccount();
    const active = await makeCode({ note, uses: 2 });
    const used = await makeCode({ note });
    const expired = await makeCode({ note, expiresAt: new Date(Date.now() - 1_000) });
    const stopped = await makeCode({ note });
    for (const { hash } of [active, used]) await codes.redeem(accountId, hash);
    await codes.stop(stopped.id);
    const list = async (state?: "active" | "used" | "expired" | "stopped") =>
      (await codes.list({ state, text: note.toUpperCase() }, 10, undefined)).map(({ id }) => id);
    // Those of one millisecond have their order by chance, and keep it.
    const newestFirst = [active.id, used.id, expired.id, stopped.id].toSorted().toReversed();
    expect(await list()).toEqual(newestFirst);
    expect(await list("active")).toEqual([active.id]);
    expect(await list("used")).toEqual([used.id]);
    expect(await list("expired")).toEqual([expired.id]);
    expect(await list("stopped")).toEqual([stopped.id]);
    const [next] = await codes.list({ state: undefined, text: note }, 1, newestFirst[2]);
    expect(next).toMatchObject({ id: newestFirst[3], note });
    expect((await codes.list({ state: "active", text: note }, 1, undefined))[0]).toMatchObject({
      id: active.id,
      used: 1,
      uses: 2,
    });
  });
});
