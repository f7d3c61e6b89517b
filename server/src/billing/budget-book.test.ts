import { describe, expect, it } from "vitest";
import { HeldClock } from "../../test/held-clock.ts";
import { MemoryLedger, type Passage } from "../../test/memory-ledger.ts";
import { sampleSettlement } from "../../test/sample-settlement.ts";
import { sampleCaller } from "../../test/samples.ts";
import type { Budget } from "../domain/caller.ts";
import { BudgetBook, type BudgetHold, startOfPeriod } from "./budget-book.ts";

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 15, 12);

function bookOf(budget: Budget | undefined, passage?: Passage) {
  const clock = new HeldClock(NOON);
  const ledger = new MemoryLedger({ "client-account": 1_000n }, passage);
  const book = new BudgetBook(ledger, clock);
  const caller = sampleCaller({ budget });
  const open = async (): Promise<BudgetHold> => {
    const hold = await book.open(caller);
    if (hold === undefined) throw new Error("This key has no budget.");
    return hold;
  };
  return { clock, ledger, book, caller, open };
}

describe("a key's budget", () => {
  it("is nothing to reckon with where there is none", async () => {
    const { book, caller } = bookOf(undefined);
    expect(await book.left(caller)).toBeUndefined();
    expect(await book.open(caller)).toBeUndefined();
  });

  it("gives out no more than its limit, and gives back what was not charged", async () => {
    const { book, caller, open } = bookOf({ limit: 100n, period: "day" });
    const hold = await open();
    expect(hold.raise(60n)).toBe(true);
    expect(hold.raise(41n)).toBe(false);
    expect(hold.raise(40n)).toBe(true);
    expect(await book.left(caller)).toBe(0n);
    hold.end(100n, 30n);
    expect(await book.left(caller)).toBe(70n);
  });

  it("is shared by all of the key's requests", async () => {
    const { open } = bookOf({ limit: 100n, period: "month" });
    const [one, other] = [await open(), await open()];
    expect(one.raise(70n)).toBe(true);
    expect(other.raise(31n)).toBe(false);
    expect(other.raise(30n)).toBe(true);
  });

  it("begins with what the ledger says was spent in the running period", async () => {
    const { ledger, book, caller } = bookOf({ limit: 100n, period: "day" });
    await ledger.extendLease("client-account", 100n);
    const earlier = new Date(NOON - DAY_MS);
    await ledger.write([
      sampleSettlement({ cost: 25n, createdAt: new Date(NOON) }),
      sampleSettlement({ cost: 50n, createdAt: earlier }),
    ]);
    expect(await book.left(caller)).toBe(75n);
  });

  it("counts everything ever spent where it is a budget in total", async () => {
    const { ledger, book, caller } = bookOf({ limit: 100n, period: "total" });
    await ledger.extendLease("client-account", 100n);
    await ledger.write([sampleSettlement({ cost: 50n, createdAt: new Date(0) })]);
    expect(await book.left(caller)).toBe(50n);
  });

  it("asks the ledger once a period, however many requests come at once", async () => {
    let asked = 0;
    const { clock, book, caller } = bookOf({ limit: 100n, period: "day" }, (method, when) => {
      if (method === "spentByKey" && when === "asking") asked++;
    });
    await Promise.all([book.left(caller), book.left(caller), book.open(caller)]);
    await book.left(caller);
    expect(asked).toBe(1);
    clock.advance(DAY_MS);
    await book.left(caller);
    expect(asked).toBe(2);
  });

  it("is whole again when the next period begins; what still runs belongs to the old one", async () => {
    const { clock, book, caller, open } = bookOf({ limit: 100n, period: "day" });
    const late = await open();
    late.raise(80n);
    clock.advance(DAY_MS);
    expect(await book.left(caller)).toBe(100n);
    late.end(80n, 80n);
    expect(await book.left(caller)).toBe(100n);
  });

  it("is kept to by what still runs, although its period has ended", async () => {
    const { clock, book, caller, open } = bookOf({ limit: 100n, period: "day" });
    const [one, other] = [await open(), await open()];
    clock.advance(DAY_MS);
    await book.left(caller);
    expect(one.raise(80n)).toBe(true);
    expect(other.raise(80n)).toBe(false);
    expect(other.raise(20n)).toBe(true);
  });

  it("is kept to by what still runs, although what another was charged is in doubt", async () => {
    const { book, caller, open } = bookOf({ limit: 100n, period: "day" });
    const [doubtful, one, other] = [await open(), await open(), await open()];
    doubtful.raise(10n);
    doubtful.endUnsure();
    expect(one.raise(80n)).toBe(true);
    expect(other.raise(80n)).toBe(false);
    expect(await book.left(caller)).toBe(20n);
  });

  it("is kept to by old and new requests together, although it was read anew between them", async () => {
    const { open } = bookOf({ limit: 100n, period: "day" });
    const [doubtful, old] = [await open(), await open()];
    doubtful.endUnsure();
    const fresh = await open();
    expect(fresh.raise(80n)).toBe(true);
    expect(old.raise(80n)).toBe(false);
    expect(old.raise(20n)).toBe(true);
    expect(fresh.raise(1n)).toBe(false);
  });

  it("never shows less than nothing, even where it was lowered below what is spent", async () => {
    const { book, caller, open } = bookOf({ limit: 100n, period: "day" });
    const hold = await open();
    hold.raise(90n);
    const lowered = { ...caller, budget: { limit: 50n, period: "day" } as const };
    expect(await book.left(lowered)).toBe(0n);
    expect((await book.open(lowered))?.raise(1n)).toBe(false);
  });

  it("does not forget what is held when its period is changed meanwhile", async () => {
    const { book, caller, open } = bookOf({ limit: 100n, period: "day" });
    const hold = await open();
    hold.raise(80n);
    const monthly = { ...caller, budget: { limit: 100n, period: "month" } as const };
    expect(await book.left(monthly)).toBeLessThanOrEqual(20n);
  });

  it("is loaded again after a look-up that failed", async () => {
    let away = true;
    const { book, caller } = bookOf({ limit: 100n, period: "day" }, () => {
      if (away) throw new Error("away");
    });
    await expect(book.left(caller)).rejects.toThrow("away");
    away = false;
    expect(await book.left(caller)).toBe(100n);
  });
});

describe("the running period", () => {
  const at = (text: string) => Date.parse(`${text}Z`);

  it.each([
    ["day", "2026-01-15T00:00:00.000", "2026-01-15T00:00:00"],
    ["day", "2026-01-15T23:59:59.999", "2026-01-15T00:00:00"],
    // The fifteenth of January 2026 is a Thursday, the twelfth a Monday.
    ["week", "2026-01-15T12:00:00", "2026-01-12T00:00:00"],
    ["week", "2026-01-12T00:00:00", "2026-01-12T00:00:00"],
    ["week", "2026-01-11T23:59:59.999", "2026-01-05T00:00:00"],
    ["week", "2026-01-01T05:00:00", "2025-12-29T00:00:00"],
    ["month", "2026-01-31T23:59:59.999", "2026-01-01T00:00:00"],
    ["month", "2028-02-29T12:00:00", "2028-02-01T00:00:00"],
  ] as const)("of a %s at %s began at %s", (period, now, start) => {
    expect(startOfPeriod(period, at(now))).toBe(at(start));
  });

  it("of a budget in total never began", () => {
    expect(startOfPeriod("total", NOON)).toBeUndefined();
  });
});
