import { balancePool } from "@trunkline/core/funds-pool.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { describe, expect, it } from "vitest";
import { MemoryLedger } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { LeasedFunds } from "./leased-funds.ts";

const ACCOUNT = "client-account";
const INSTANCES = ["one", "two", "three"];

/** One balance and a purse of each of three instances, which heed each other's lack. */
function instancesOn(balance: bigint) {
  const clock = new HeldClock();
  const first = new MemoryLedger({ [ACCOUNT]: balance }, undefined, "one");
  const seats = INSTANCES.map((id) => {
    const ledger = id === "one" ? first : first.seenBy(id);
    const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, clock);
    ledger.onRecall((_lot, by) => void leasedFunds.releaseSpare(by < id));
    return { ledger, purse: leasedFunds };
  });
  const [one, two, three] = seats;
  if (one === undefined || two === undefined || three === undefined) throw new Error("Three were made.");
  return { clock, ledger: first, one, two, three, seats };
}

describe("a balance on several instances", () => {
  it("can be spent to the last by whoever asks, although another has it leased", async () => {
    const { one, two } = instancesOn(100n);
    expect(await one.purse.hold(100n)).toBe(true);
    one.purse.release(100n);
    expect(await two.purse.hold(100n)).toBe(true);
    expect(await one.purse.hold(1n)).toBe(false);
  });

  it("is gathered from several who each have too little", async () => {
    const { one, two, three } = instancesOn(90n);
    for (const { purse: leasedFunds } of [one, two]) {
      await leasedFunds.hold(45n);
      leasedFunds.release(45n);
    }
    expect(await three.purse.hold(90n)).toBe(true);
  });

  it("is gathered by one of two who search at the same moment", async () => {
    const { ledger, one, two } = instancesOn(100n);
    for (const { purse: leasedFunds } of [one, two]) {
      await leasedFunds.hold(50n);
      leasedFunds.release(50n);
    }
    const served = await Promise.all([one.purse.hold(80n), two.purse.hold(80n)]);
    expect(served.filter(Boolean)).toHaveLength(1);
    expect(ledger.booksOf(ACCOUNT).leased + ledger.booksOf(ACCOUNT).unleased).toBe(100n);
  });

  it("is not taken from requests that run: what they hold stays theirs", async () => {
    const { one, two } = instancesOn(100n);
    await one.purse.hold(60n);
    expect(await two.purse.hold(41n)).toBe(false);
    expect(await two.purse.hold(40n)).toBe(true);
  });

  it("comes back at once, while it is scarce, from a request that ended", async () => {
    const { clock, ledger, one, two } = instancesOn(100n);
    one.purse.open();
    await one.purse.hold(100n);
    expect(await two.purse.hold(30n)).toBe(false);
    await ledger.write([sampleSettlement({ cost: 60n })]);
    one.purse.capture(100n, 60n);
    one.purse.close();
    await expect.poll(() => ledger.booksOf(ACCOUNT).unleased).toBe(40n);
    clock.advance(1_000);
    expect(await two.purse.hold(40n)).toBe(true);
  });

  it("is told exactly, wherever that decides whether a request can be served", async () => {
    const { clock, one, two } = instancesOn(100n);
    await one.purse.hold(100n);
    one.purse.release(70n);
    expect(await two.purse.spendable(70n, 70n)).toBe(70n);
    clock.advance(2_000);
    expect(await two.purse.spendable(71n, 71n)).toBe(70n);
  });

  it("asks nobody when all of it together would not do", async () => {
    let recalls = 0;
    const ledger = new MemoryLedger({ [ACCOUNT]: 100n }, (method, when) => {
      if (method === "recall" && when === "asking") recalls++;
    });
    const other = ledger.seenBy("two");
    await other.extendLease(balancePool(ACCOUNT), 50n);
    const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, new HeldClock());
    expect(await leasedFunds.hold(101n)).toBe(false);
    expect(recalls).toBe(0);
  });

  it("is not searched for again and again while others hold it", async () => {
    let recalls = 0;
    const ledger = new MemoryLedger({ [ACCOUNT]: 100n }, (method, when) => {
      if (method === "recall" && when === "asking") recalls++;
    });
    await ledger.seenBy("two").extendLease(balancePool(ACCOUNT), 100n);
    const clock = new HeldClock();
    const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, clock);
    for (let i = 0; i < 5; i++) expect(await leasedFunds.hold(1n)).toBe(false);
    expect(recalls).toBe(1);
    clock.advance(1_000);
    expect(await leasedFunds.hold(1n)).toBe(false);
    expect(recalls).toBe(2);
  });
});

describe("a slice", () => {
  it("is renewed before it is used up, where there is plenty", async () => {
    const { ledger, one } = instancesOn(80_000n);
    expect(await one.purse.hold(10n)).toBe(true);
    const first = one.purse.free;
    while (one.purse.free > first / 4n) await one.purse.hold(10n);
    await expect.poll(() => one.purse.free).toBeGreaterThan(first / 2n);
    expect(ledger.booksOf(ACCOUNT).leased).toBeGreaterThan(first + 10n);
  });

  it("goes back when nobody has used it for a while", async () => {
    const { clock, ledger, one } = instancesOn(8_000n);
    await one.purse.hold(10n);
    one.purse.release(10n);
    await one.purse.returnIfIdle();
    expect(ledger.booksOf(ACCOUNT).leased).toBe(1_000n);
    clock.advance(60_000);
    await one.purse.returnIfIdle();
    expect(ledger.booksOf(ACCOUNT)).toEqual({ unleased: 8_000n, leased: 0n });
    expect(one.purse.canEvict).toBe(true);
  });

  it("stays as long as a request may still need it", async () => {
    const { clock, ledger, one } = instancesOn(8_000n);
    one.purse.open();
    await one.purse.hold(10n);
    clock.advance(60_000);
    await one.purse.returnIfIdle();
    expect(ledger.booksOf(ACCOUNT).leased).toBe(1_000n);
    expect(one.purse.canEvict).toBe(false);
  });

  it("that could not be given back is read anew before it is used", async () => {
    let away = false;
    const ledger = new MemoryLedger({ [ACCOUNT]: 8_000n }, (method) => {
      if (away && method === "giveBack") throw new Error("away");
    });
    const clock = new HeldClock();
    const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, clock);
    await leasedFunds.hold(10n);
    leasedFunds.release(10n);
    clock.advance(60_000);
    away = true;
    await expect(leasedFunds.returnIfIdle()).rejects.toThrow("away");
    away = false;
    expect(await leasedFunds.hold(1_000n)).toBe(true);
    expect(ledger.booksOf(ACCOUNT).leased).toBe(1_000n);
  });
});
