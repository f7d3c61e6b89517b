import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, isSomeoneWaiting, openFreshStore } from "../../../test/support/fresh-store.ts";
import { openLeasedAccount } from "../../../test/support/leased-account.ts";
import { expectSoundLedger } from "../../../test/support/ledger-state.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { JsonLines } from "../database/prepared-statements.ts";
import { statementOfOne } from "./write-batch.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterEach(() => expectSoundLedger(store.database));
afterAll(() => store.close());

const desk = (balance?: bigint) => openLeasedAccount(store, balance);

describe("the statements of a batch and of a single request", () => {
  it.each<[string, Partial<Settlement>]>([
    ["a charge", { cost: 30n, images: 2, cachedInputTokens: 4, cacheWriteTokens: 5, audioMs: 6, discount: 7 }],
    ["an answer for nothing", {}],
    ["a failure", { status: 502, errorType: "provider_error", model: undefined, provider: undefined }],
    ["a client that left", { status: 499, priceVersion: undefined, cost: 3n, held: 9n }],
    ["tags", { cost: 1n, tags: { team: "a" }, detail: { text: "ä\n" } }],
  ])("writes of one request alone what it writes of it beside others: %s", async (_what, change) => {
    const written = async (others: readonly Partial<Settlement>[]) => {
      const { accountId, keyId, ledger, settle, rows } = await desk();
      await ledger.write([settle(change), ...others.map((other) => ({ ...settle(other), accountId: newId() }))]);
      const own = (row: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries(row).filter(([name]) => !["id", "account_id", "key_id", "instance_id"].includes(name)),
        );
      const transfers = await store.database.query(
        `SELECT t.kind, t.amount, d.kind AS debit, c.kind AS credit FROM ledger_transfers t JOIN requests r ON r.id = t.request_id
         JOIN ledger_accounts d ON d.id = t.debit JOIN ledger_accounts c ON c.id = t.credit WHERE r.key_id = $1`,
        [keyId],
      );
      return {
        requests: (await rows("requests")).map(own),
        sums: (await rows("usage_quarters")).map(own),
        pool: await ledger.readPool(balancePool(accountId)),
        transfers,
      };
    };
    const alone = await written([]);
    expect(alone).toEqual(await written([{}]));
    expect(alone.requests).toHaveLength(1);
    expect(alone.sums).toHaveLength(1);
    expect(alone.transfers).toHaveLength((change.cost ?? 0n) > 0n ? 1 : 0);
  });

  it.each([
    ["one request", 1],
    ["several", 3],
  ])("with %s looks up the leases that it charges, and reads no others", async (_what, count) => {
    const { accountId, ledger, settle } = await desk();
    for (let other = 0; other < 50; other++) {
      const pool = balancePool(await store.makeAccount(100n));
      await ledger.extendLease(pool, 1n);
    }
    const entriesRead = async () => {
      // What other connections counted is there only once they have told so.
      await store.database.query("SELECT pg_stat_force_next_flush()");
      await store.database.prepared("flush", "SELECT pg_stat_force_next_flush()", []);
      const [row] = await store.database.query<{ read: bigint }>(
        "SELECT idx_tup_read AS read FROM pg_stat_user_indexes WHERE indexrelname = 'ledger_one_lease'",
      );
      return row?.read ?? 0n;
    };
    await ledger.write([settle({ cost: 1n })]);
    const before = await entriesRead();
    await ledger.write(Array.from({ length: count }, () => settle({ cost: 1n })));
    await expect.poll(entriesRead).toBeGreaterThan(before);
    expect((await entriesRead()) - before).toBeLessThanOrEqual(BigInt(2 * count));
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(1_000n - 1n - BigInt(count));
  });

  it("charges a request once that is written again while its first writing has not ended", async () => {
    const { accountId, instanceId, ledger, settle } = await desk();
    const request = settle({ cost: 30n });
    const [revenue] = await store.database.query<{ id: bigint }>(
      "SELECT id FROM ledger_accounts WHERE kind = 'revenue' AND instance_id = $1",
      [instanceId],
    );
    const { text = "", values = [] } = statementOfOne(instanceId, String(revenue?.id), request) ?? {};
    const sent = values.map((value) => (value instanceof JsonLines ? JSON.stringify(value.items.at(0)) : value));
    let writing: Promise<unknown> = Promise.resolve();
    await store.database.transaction(async (connection) => {
      await connection.query(text, sent);
      writing = ledger.write([request]);
      await expect.poll(() => isSomeoneWaiting(store)).toBe(true);
    });
    await writing;
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(970n);
  });
});
