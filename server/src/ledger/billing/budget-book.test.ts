import type { Budget } from "@trunkline/core/caller.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { MemoryLedger, type Passage } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { KeyBudgets } from "./budget-book.ts";

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 15, 12);
const MUCH = 1_000_000n;

function bookOf(budget: Budget | undefined, passage?: Passage) {
  const clock = new HeldClock(NOON);
  const ledger = new MemoryLedger({ "client-account": 1_000n }, passage);
  const book = new KeyBudgets(ledger, clock);
  const caller = sampleCaller({ budget });
  const open = async (as = caller) => {
    const opened = await book.open(as, clock.now());
    if (opened === undefined) throw new Error("This key has no budget.");
    return opened;
  };
  const left = async (as = caller) => (await open(as)).funds.spendable(MUCH, MUCH);
  return { clock, ledger, book, caller, open, left };
}

describe("a key's budget", () => {
  it("is nothing to reckon with where there is none", async () => {
    const { book, caller } = bookOf(undefined);
    expect(await book.open(caller, NOON)).toBeUndefined();
  });

  it("gives out no more than its limit, and gives back what was not charged", async () => {
    const { open, left } = bookOf({ limit: 100n, period: "day" });
    const { funds: leasedFunds } = await open();
    expect(await leasedFunds.hold(60n)).toBe(true);
    expect(await leasedFunds.hold(41n)).toBe(false);
    expect(await leasedFunds.hold(40n)).toBe(true);
    expect(await left()).toBe(0n);
    leasedFunds.release(70n);
    expect(await left()).toBe(70n);
  });

  it("is one for all of the key's requests", async () => {
    const { open } = bookOf({ limit: 100n, period: "month" });
    const [one, other] = await Promise.all([open(), open()]);
    expect(other.funds).toBe(one.funds);
  });

  it("begins with what the ledger says was spent in the running period", async () => {
    const { ledger, left } = bookOf({ limit: 100n, period: "day" });
    await ledger.extendLease(balancePool("client-account"), 100n);
    const earlier = new Date(NOON - DAY_MS);
    await ledger.write([
      sampleSettlement({ cost: 25n, createdAt: new Date(NOON) }),
      sampleSettlement({ cost: 50n, createdAt: earlier }),
    ]);
    expect(await left()).toBe(75n);
  });

  it("counts everything ever spent where it is a budget in total", async () => {
    const { ledger, left } = bookOf({ limit: 100n, period: "total" });
    await ledger.extendLease(balancePool("client-account"), 100n);
    await ledger.write([sampleSettlement({ cost: 50n, createdAt: new Date(0) })]);
    expect(await left()).toBe(50n);
  });

  it("is not asked for again once it is used up: it can only shrink", async () => {
    let asked = 0;
    const { open } = bookOf({ limit: 100n, period: "day" }, (_method, when) => {
      if (when === "asking") asked++;
    });
    const { funds: leasedFunds } = await open();
    expect(await leasedFunds.hold(100n)).toBe(true);
    expect(await leasedFunds.hold(1n)).toBe(false);
    const before = asked;
    for (let i = 0; i < 10; i++) expect(await leasedFunds.hold(1n)).toBe(false);
    expect(asked).toBe(before);
  });

  it("is whole again when the next period begins; what still runs belongs to the old one", async () => {
    const { clock, left, open } = bookOf({ limit: 100n, period: "day" });
    const late = await open();
    await late.funds.hold(80n);
    clock.advance(DAY_MS);
    expect(await left()).toBe(100n);
    expect(await late.funds.hold(20n)).toBe(true);
    expect(await late.funds.hold(1n)).toBe(false);
  });

  it("never shows less than nothing, even where it was lowered below what is spent", async () => {
    const { caller, open, left } = bookOf({ limit: 100n, period: "day" });
    await (await open()).funds.hold(90n);
    const lowered = { ...caller, budget: { limit: 50n, period: "day" } as const };
    expect(await left(lowered)).toBe(0n);
    expect(await (await open(lowered)).funds.hold(1n)).toBe(false);
  });

  it("may be spent to its new limit as soon as it is raised", async () => {
    const { caller, open } = bookOf({ limit: 100n, period: "day" });
    const { funds: leasedFunds } = await open();
    expect(await leasedFunds.hold(100n)).toBe(true);
    expect(await leasedFunds.hold(1n)).toBe(false);
    const raised = await open({ ...caller, budget: { limit: 150n, period: "day" } });
    expect(await raised.funds.hold(50n)).toBe(true);
    expect(await raised.funds.hold(1n)).toBe(false);
  });

  it("does not forget what is held when its period is changed meanwhile", async () => {
    const { caller, open, left } = bookOf({ limit: 100n, period: "day" });
    await (await open()).funds.hold(80n);
    expect(await left({ ...caller, budget: { limit: 100n, period: "month" } })).toBeLessThanOrEqual(20n);
  });

  it("is asked for again after a look-up that failed", async () => {
    let away = true;
    const { left } = bookOf({ limit: 100n, period: "day" }, () => {
      if (away) throw new Error("away");
    });
    await expect(left()).rejects.toThrow("away");
    away = false;
    expect(await left()).toBe(100n);
  });

  it("is forgotten only when nothing of it is leased any more", async () => {
    const { clock, book, open } = bookOf({ limit: 100n, period: "day" });
    const { funds: leasedFunds } = await open();
    await leasedFunds.hold(10n);
    leasedFunds.release(10n);
    book.evictUnused();
    expect((await open()).funds).toBe(leasedFunds);
    clock.advance(60_000);
    await leasedFunds.returnIfIdle();
    book.evictUnused();
    expect((await open()).funds).not.toBe(leasedFunds);
  });
});
