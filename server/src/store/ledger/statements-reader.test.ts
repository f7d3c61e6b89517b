import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { startOfDay } from "@trunkline/core/time-zone.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { listMonths, readStatement } from "../../ledger/billing/statements.ts";
import type { StatementsSnapshot } from "../../ledger/billing/statements-reader.ts";
import {
  listDailyTransactions,
  listSingleTransactions,
  TRANSACTION_KINDS,
  type Transaction,
  type TransactionKind,
  transactionCursor,
} from "../../ledger/billing/transactions.ts";
import { closeUsageDays } from "../usage/usage-rollups.ts";
import { grantCredits } from "./ledger.ts";
import { PostgresRedeemCodes } from "./redeem-codes.ts";
import { PostgresStatementsReader } from "./statements-reader.ts";

const HOUR_MS = 3_600_000;
const DAYS = 70;
const NOW = Date.now();
const START = NOW - DAYS * 24 * HOUR_MS;
const ZONES = ["UTC", "Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati"];
const ALL = 10_000;

let store: FreshStore;
let reader: PostgresStatementsReader;
let accountId: string;
let balance: bigint;

/** Two months of traffic over two instances that hold leases all the while, and credits that came in between. */
beforeAll(async () => {
  store = await openFreshStore();
  reader = new PostgresStatementsReader(store.database);
  accountId = await store.makeAccount(1_000_000n);
  const otherAccount = await store.makeAccount(777n);
  const ledgers = [await store.openLedger(), await store.openLedger()];
  for (const ledger of ledgers) await ledger.extendLease(balancePool(accountId), 400_000n);
  const [requests = []] = fc.sample(traffic, { numRuns: 1, seed: 11 });
  await ledgers[0]?.write(requests.slice(0, 150));
  expect(await closeUsageDays(store.database)).toBe(true);
  await ledgers[1]?.write(requests.slice(150));
  const codes = new PostgresRedeemCodes(store.database);
  for (const place of Array.from({ length: 12 }).keys()) {
    await grantCredits(store.database, accountId, BigInt(100 + place), `grant ${place}`);
    if (place % 3 > 0) continue;
    const code = { id: newId(), hash: Buffer.from(newId()), hint: "TL-TEST…" };
    await codes.add([code], { amount: 50n, uses: 2, note: "", expiresAt: undefined });
    await codes.redeem(accountId, code.hash);
    await codes.redeem(otherAccount, code.hash);
  }
  // Some at the very moment of a request; the first of all before any was spent.
  const moments = requests.map(({ createdAt }) => createdAt.getTime());
  await store.database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    const rows = await connection.query<{ id: bigint }>(
      `SELECT t.id FROM ledger_transfers t JOIN ledger_accounts c ON c.id = t.credit
       WHERE t.kind IN ('grant', 'redeem') AND c.account_id = $1 ORDER BY t.id`,
      [accountId],
    );
    for (const [place, { id }] of rows.entries()) {
      const even = START + (place * (NOW - START)) / rows.length;
      const at = place === 0 ? START - HOUR_MS : place % 2 === 0 ? (moments[place * 9] ?? even) : even;
      await connection.query("UPDATE ledger_transfers SET created_at = $2 WHERE id = $1", [id, new Date(at)]);
    }
  });
  balance = (await ledgers[0]?.readPool(balancePool(accountId)))?.total ?? -1n;
});
afterAll(() => store.close());

const traffic: fc.Arbitrary<Settlement[]> = fc.array(
  fc
    .record({
      // Some of them in the same millisecond.
      at: fc.oneof(
        fc.integer({ min: START, max: NOW }),
        fc.nat(DAYS - 1).map((day) => START + day * 24 * HOUR_MS),
      ),
      keyId: fc.constantFrom("00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"),
      model: fc.constantFrom("small", "large"),
      cost: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 900n })),
    })
    .map(({ at, ...change }) => sampleSettlement({ ...change, accountId: theAccount(), createdAt: new Date(at) })),
  { minLength: 300, maxLength: 300 },
);

function theAccount(): string {
  return accountId;
}

const read = <Result>(timeZone: string, look: (page: StatementsSnapshot) => Promise<Result>) =>
  reader.open({ accountId, timeZone }, look);

function amountOf(line: Transaction): bigint {
  if (line.type === "movement") return line.movement.amount;
  return line.type === "day" ? -line.day.cost : -line.charge.cost;
}

function kindOf(line: Transaction): TransactionKind {
  return line.type === "movement" ? line.movement.kind : "charge";
}

function dayOf(line: Transaction): string {
  return line.type === "day" ? line.day.day : line.type === "movement" ? line.movement.day : line.charge.day;
}

/** Each balance is the one below it and the line's own amount; the uppermost is what the account has. */
function expectChained(lines: readonly Transaction[]): void {
  expect(lines.reduce((sum, line) => sum + amountOf(line), 0n)).toBe(balance);
  expect(lines[0]?.balance).toBe(balance);
  for (const [place, line] of lines.entries())
    expect(line.balance - amountOf(line)).toBe(lines[place + 1]?.balance ?? 0n);
}

/** Turns all pages, of sizes that differ. */
async function turnPages(
  list: (cursor: string | undefined, limit: number) => Promise<Transaction[]>,
  size: number,
): Promise<Transaction[]> {
  const lines: Transaction[] = [];
  for (;;) {
    const last = lines.at(-1);
    const page = await list(last && transactionCursor(last), size);
    if (page.length === 0) return lines;
    lines.push(...page);
  }
}

const EVER = { from: undefined, to: undefined };
const zone = fc.constantFrom(...ZONES);
const kind = fc.constantFrom(...TRANSACTION_KINDS);
const size = fc.integer({ min: 1, max: 40 });

describe("everything that is shown", () => {
  it("adds up to the balance, line by line, although instances hold leases", async () => {
    for (const timeZone of ZONES) {
      const byDay = await read(timeZone, (page) => listDailyTransactions(page, "all", EVER, undefined, ALL));
      expectChained(byDay);
      expect(new Set(byDay.map(transactionCursor)).size).toBe(byDay.length);
    }
    const singly = await read("UTC", (page) => listSingleTransactions(page, "all", EVER, undefined, ALL));
    expect(singly.length).toBeGreaterThan(100);
    expectChained(singly);
  });

  it("is the same by day for any zone, kind, range of days and size of the pages", async () => {
    const day = fc
      .integer({ min: -2, max: DAYS + 2 })
      .map((days) => new Date(START + days * 24 * HOUR_MS).toISOString().slice(0, 10));
    await fc.assert(
      fc.asyncProperty(zone, kind, fc.option(day, { nil: undefined }), size, async (timeZone, wanted, from, limit) => {
        await read(timeZone, async (page) => {
          const all = await listDailyTransactions(page, "all", EVER, undefined, ALL);
          const lines = await turnPages(
            (cursor, most) => listDailyTransactions(page, wanted, { from, to: undefined }, cursor, most),
            limit,
          );
          expect(lines).toEqual(
            all.filter(
              (line) => (wanted === "all" || kindOf(line) === wanted) && (from === undefined || dayOf(line) >= from),
            ),
          );
        });
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  it("is the same charge by charge for any kind, range of time and size of the pages", async () => {
    const moment = fc.option(
      fc.integer({ min: START, max: NOW }).map((ms) => new Date(ms)),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(kind, moment, moment, size, async (wanted, from, to, limit) => {
        await read("UTC", async (page) => {
          const all = await listSingleTransactions(page, "all", EVER, undefined, ALL);
          const lines = await turnPages(
            (cursor, most) => listSingleTransactions(page, wanted, { from, to }, cursor, most),
            limit + 5,
          );
          expect(lines).toEqual(
            all.filter((line) => {
              if (line.type === "day") return false;
              const at = line.type === "movement" ? line.movement.createdAt : line.charge.createdAt;
              const isWithin = (from === undefined || at >= from) && (to === undefined || at < to);
              return isWithin && (wanted === "all" || kindOf(line) === wanted);
            }),
          );
        });
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });

  it("has for each day what its charges are one by one", async () => {
    for (const timeZone of ZONES) {
      await read(timeZone, async (page) => {
        for (const line of await listDailyTransactions(page, "charge", EVER, undefined, 15)) {
          if (line.type !== "day") throw new Error("not a day");
          const span = {
            from: startOfDay(line.day.day, timeZone, 0),
            to: startOfDay(line.day.day, timeZone, 1),
          };
          const single = await listSingleTransactions(page, "charge", span, undefined, ALL);
          expect(single.reduce((sum, one) => sum + amountOf(one), 0n)).toBe(-line.day.cost);
          expect(new Set(single.map(dayOf))).toEqual(new Set([line.day.day]));
        }
      });
    }
  });
});

describe("a month's statement", () => {
  it("begins where the one before ended, and its parts are its whole", async () => {
    for (const timeZone of ZONES) {
      await read(timeZone, async (page) => {
        const months = (await listMonths(page)).toReversed();
        expect(months.length).toBeGreaterThan(2);
        let opening = 0n;
        for (const sum of months) {
          expect(sum.opening).toBe(opening);
          expect(sum.opening + sum.received - sum.charged).toBe(sum.closing);
          opening = sum.closing;
          const statement = await readStatement(page, sum.month, timeZone);
          expect(statement).toMatchObject(sum);
          const total = (shares: readonly { cost: bigint }[] = []) => shares.reduce((all, { cost }) => all + cost, 0n);
          expect(total(statement?.byModel)).toBe(sum.charged);
          expect(total(statement?.byKey)).toBe(sum.charged);
        }
        expect(opening).toBe(balance);
        expect(await readStatement(page, "2001-01", timeZone)).toBeUndefined();
      });
    }
  });
});

describe("receipts", () => {
  it("are numbered within each year without a gap, and never numbered again", async () => {
    const movements = await read("UTC", (page) => page.movements());
    for (const year of new Set(movements.map(({ createdAt }) => createdAt.getUTCFullYear()))) {
      const some = movements.filter(({ createdAt }) => createdAt.getUTCFullYear() === year);
      expect(some.map(({ number }) => number).toSorted()).toEqual(
        some.map((_, place) => `TL-${year}-${String(place + 1).padStart(4, "0")}`),
      );
    }
    await grantCredits(store.database, accountId, 1n, "one more");
    const after = await read("UTC", (page) => page.movements());
    expect(after.slice(0, movements.length)).toEqual(movements);
    await store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query("DELETE FROM ledger_transfers WHERE memo = 'one more'");
    });
  });
});
