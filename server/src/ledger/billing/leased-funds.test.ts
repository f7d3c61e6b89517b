import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import { MemoryLedger } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { LeasedFunds } from "./leased-funds.ts";

describe("LeasedFunds", () => {
  const ACCOUNT = "client-account";

  /** LeasedFunds over a balance. `pause` delays the next result of one of the ledger's methods until its gate opens. */
  function fundsWith(balance: bigint) {
    const held = new Map<string, Promise<void>>();
    const calls: string[] = [];
    const ledger = new MemoryLedger({ [ACCOUNT]: balance }, (method, when) => {
      if (when === "asking") calls.push(method);
      const waiting = when === "answering" ? held.get(method) : undefined;
      held.delete(waiting === undefined ? "" : method);
      return waiting;
    });
    const pause = (method: string) => {
      const gate = newGate();
      held.set(method, gate.opened);
      return gate;
    };
    const charge = (cost: bigint) => ledger.write([sampleSettlement({ cost })]);
    return {
      ledger,
      leasedFunds: new LeasedFunds(balancePool(ACCOUNT), ledger, new ManualClock()),
      calls,
      pause,
      charge,
    };
  }

  /** Lets everything continue that does not wait for the ledger. */
  const settleDown = () => new Promise((resolve) => setImmediate(resolve));

  describe("leased funds", () => {
    it("call the ledger only when the lease runs low", async () => {
      const { leasedFunds, calls } = fundsWith(8_000n);
      for (let i = 0; i < 74; i++) expect(await leasedFunds.hold(10n)).toBe(true);
      // Three quarters are used: the lease is extended before it is needed.
      expect(calls).toEqual(["extend"]);
      expect(await leasedFunds.hold(10n)).toBe(true);
      await settleDown();
      expect(calls).toEqual(["extend", "extend"]);
      expect(leasedFunds.held).toBe(750n);
      expect(leasedFunds.free).toBe(250n + 875n);
    });

    it("can be spent to the last credit, and not one more", async () => {
      const { leasedFunds, ledger } = fundsWith(1_000n);
      let held = 0n;
      while (await leasedFunds.hold(7n)) held += 7n;
      expect(held).toBe(994n);
      expect(await leasedFunds.hold(6n)).toBe(true);
      expect(await leasedFunds.hold(1n)).toBe(false);
      expect(ledger.booksOf(ACCOUNT)).toEqual({ unleased: 0n, leased: 1_000n });
    });

    it("do not change when they refuse", async () => {
      const { leasedFunds, ledger } = fundsWith(100n);
      expect(await leasedFunds.hold(101n)).toBe(false);
      expect(leasedFunds.held).toBe(0n);
      expect(ledger.booksOf(ACCOUNT)).toEqual({ unleased: 100n, leased: 0n });
      expect(await leasedFunds.hold(100n)).toBe(true);
    });

    it("become free on release, and shrink on capture", async () => {
      const { leasedFunds } = fundsWith(100n);
      await leasedFunds.hold(100n);
      leasedFunds.release(30n);
      expect(leasedFunds.free).toBe(30n);
      leasedFunds.capture(70n, 20n);
      expect(leasedFunds.held).toBe(0n);
      expect(leasedFunds.free).toBe(80n);
    });

    it("report exactly what could be held, when that is below `enough`", async () => {
      const { leasedFunds, calls } = fundsWith(800n);
      expect(await leasedFunds.spendable(801n, 801n)).toBe(800n);
      await leasedFunds.hold(50n);
      expect(await leasedFunds.spendable(801n, 801n)).toBe(750n);
      calls.length = 0;
      expect(await leasedFunds.spendable(10n, 10n)).toBe(leasedFunds.free);
      expect(calls).toEqual([]);
    });

    it("extend the lease once for many concurrent holds", async () => {
      const { leasedFunds, calls } = fundsWith(8_000n);
      const held = await Promise.all(Array.from({ length: 50 }, async () => leasedFunds.hold(10n)));
      expect(held).not.toContain(false);
      expect(calls).toEqual(["extend"]);
    });

    it("survive a failed extension: the next hold tries again", async () => {
      let away = true;
      const ledger = new MemoryLedger({ [ACCOUNT]: 100n }, () => {
        if (away) throw new Error("away");
      });
      const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, new ManualClock());
      await expect(leasedFunds.hold(10n)).rejects.toThrow("away");
      away = false;
      expect(await leasedFunds.hold(10n)).toBe(true);
    });

    it("refuse no hold that the balance covers, although another used the lease meanwhile", async () => {
      const { leasedFunds, pause } = fundsWith(20n);
      expect(await leasedFunds.hold(8n)).toBe(true);
      leasedFunds.release(8n);
      const lease = pause("extend");
      const large = leasedFunds.hold(10n);
      await settleDown();
      expect(await leasedFunds.hold(5n)).toBe(true);
      lease.open();
      // Twenty in total, five are held: ten more are available.
      expect(await large).toBe(true);
    });

    it("use what became free during a call to the ledger, although it had nothing to add", async () => {
      const { leasedFunds, pause } = fundsWith(10n);
      await leasedFunds.hold(5n);
      const lease = pause("extend");
      const whole = leasedFunds.hold(10n);
      await settleDown();
      leasedFunds.release(5n);
      lease.open();
      expect(await whole).toBe(true);
    });

    it("keep a capture that happens while the lease is being extended", async () => {
      const { leasedFunds, ledger, pause, charge } = fundsWith(1_000n);
      await leasedFunds.hold(125n);
      const lease = pause("extend");
      const second = leasedFunds.hold(50n);
      await settleDown();
      await charge(100n);
      leasedFunds.capture(125n, 100n);
      lease.open();
      await second;
      expect(leasedFunds.free + leasedFunds.held).toBe(ledger.booksOf(ACCOUNT).leased);
    });
  });

  describe("reading the ledger again", () => {
    it("corrects what a lost result left open", async () => {
      const { leasedFunds, ledger, charge } = fundsWith(100n);
      await leasedFunds.hold(60n);
      await charge(40n);
      leasedFunds.release(60n);
      expect(leasedFunds.free).toBe(60n);
      await leasedFunds.resync();
      expect(leasedFunds.free).toBe(ledger.booksOf(ACCOUNT).leased);
    });

    it("never creates money from a capture that happens meanwhile", async () => {
      const { leasedFunds, ledger, pause, charge } = fundsWith(100n);
      await leasedFunds.hold(40n);
      await leasedFunds.hold(40n);
      const answer = pause("look");
      const reading = leasedFunds.resync();
      await settleDown();
      await charge(40n);
      leasedFunds.capture(40n, 40n);
      answer.open();
      await reading;
      expect(leasedFunds.free + leasedFunds.held).toBeLessThanOrEqual(ledger.booksOf(ACCOUNT).leased);
    });

    it("does not lose an extension that arrives meanwhile", async () => {
      const { leasedFunds, ledger, pause } = fundsWith(100n);
      await leasedFunds.hold(20n);
      const answer = pause("look");
      const reading = leasedFunds.resync();
      await settleDown();
      const more = leasedFunds.hold(30n);
      await settleDown();
      answer.open();
      await reading;
      expect(await more).toBe(true);
      expect(leasedFunds.free + leasedFunds.held).toBe(ledger.booksOf(ACCOUNT).leased);
    });
  });
});

describe("LeasedFunds on several instances", () => {
  const ACCOUNT = "client-account";
  const INSTANCES = ["one", "two", "three"];

  /** One balance and the LeasedFunds of three instances, which answer each other's recalls. */
  function instancesOn(balance: bigint) {
    const clock = new ManualClock();
    const first = new MemoryLedger({ [ACCOUNT]: balance }, undefined, "one");
    const seats = INSTANCES.map((id) => {
      const ledger = id === "one" ? first : first.seenBy(id);
      const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, clock);
      ledger.onRecall((_lot, by) => void leasedFunds.releaseSpare(by < id));
      return { ledger, leasedFunds };
    });
    const [one, two, three] = seats;
    if (one === undefined || two === undefined || three === undefined) throw new Error("Three instances are needed.");
    return { clock, ledger: first, one, two, three, seats };
  }

  describe("a balance on several instances", () => {
    it("can be spent to the last credit by any instance, although another has leased it", async () => {
      const { one, two } = instancesOn(100n);
      expect(await one.leasedFunds.hold(100n)).toBe(true);
      one.leasedFunds.release(100n);
      expect(await two.leasedFunds.hold(100n)).toBe(true);
      expect(await one.leasedFunds.hold(1n)).toBe(false);
    });

    it("is recalled from several instances that each have too little", async () => {
      const { one, two, three } = instancesOn(90n);
      for (const { leasedFunds } of [one, two]) {
        await leasedFunds.hold(45n);
        leasedFunds.release(45n);
      }
      expect(await three.leasedFunds.hold(90n)).toBe(true);
    });

    it("is recalled by one of two that recall at the same time", async () => {
      const { ledger, one, two } = instancesOn(100n);
      for (const { leasedFunds } of [one, two]) {
        await leasedFunds.hold(50n);
        leasedFunds.release(50n);
      }
      const served = await Promise.all([one.leasedFunds.hold(80n), two.leasedFunds.hold(80n)]);
      expect(served.filter(Boolean)).toHaveLength(1);
      expect(ledger.booksOf(ACCOUNT).leased + ledger.booksOf(ACCOUNT).unleased).toBe(100n);
    });

    it("is not taken from running requests: their holds stay", async () => {
      const { one, two } = instancesOn(100n);
      await one.leasedFunds.hold(60n);
      expect(await two.leasedFunds.hold(41n)).toBe(false);
      expect(await two.leasedFunds.hold(40n)).toBe(true);
    });

    it("comes back at once, while it is scarce, when a request ends", async () => {
      const { clock, ledger, one, two } = instancesOn(100n);
      one.leasedFunds.open();
      await one.leasedFunds.hold(100n);
      expect(await two.leasedFunds.hold(30n)).toBe(false);
      await ledger.write([sampleSettlement({ cost: 60n })]);
      one.leasedFunds.capture(100n, 60n);
      one.leasedFunds.close();
      await expect.poll(() => ledger.booksOf(ACCOUNT).unleased).toBe(40n);
      clock.advance(1_000);
      expect(await two.leasedFunds.hold(40n)).toBe(true);
    });

    it("is exact when it decides whether a request can be served", async () => {
      const { clock, one, two } = instancesOn(100n);
      await one.leasedFunds.hold(100n);
      one.leasedFunds.release(70n);
      expect(await two.leasedFunds.spendable(70n, 70n)).toBe(70n);
      clock.advance(2_000);
      expect(await two.leasedFunds.spendable(71n, 71n)).toBe(70n);
    });

    it("is not recalled when all of it together would not suffice", async () => {
      let recalls = 0;
      const ledger = new MemoryLedger({ [ACCOUNT]: 100n }, (method, when) => {
        if (method === "recall" && when === "asking") recalls++;
      });
      const other = ledger.seenBy("two");
      await other.extendLease(balancePool(ACCOUNT), 50n);
      const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, new ManualClock());
      expect(await leasedFunds.hold(101n)).toBe(false);
      expect(recalls).toBe(0);
    });

    it("is not recalled again and again while others hold it", async () => {
      let recalls = 0;
      const ledger = new MemoryLedger({ [ACCOUNT]: 100n }, (method, when) => {
        if (method === "recall" && when === "asking") recalls++;
      });
      await ledger.seenBy("two").extendLease(balancePool(ACCOUNT), 100n);
      const clock = new ManualClock();
      const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, clock);
      for (let i = 0; i < 5; i++) expect(await leasedFunds.hold(1n)).toBe(false);
      expect(recalls).toBe(1);
      clock.advance(1_000);
      expect(await leasedFunds.hold(1n)).toBe(false);
      expect(recalls).toBe(2);
    });
  });

  describe("a lease", () => {
    it("is extended before it is used up, when there is plenty", async () => {
      const { ledger, one } = instancesOn(80_000n);
      expect(await one.leasedFunds.hold(10n)).toBe(true);
      const first = one.leasedFunds.free;
      while (one.leasedFunds.free > first / 4n) await one.leasedFunds.hold(10n);
      await expect.poll(() => one.leasedFunds.free).toBeGreaterThan(first / 2n);
      expect(ledger.booksOf(ACCOUNT).leased).toBeGreaterThan(first + 10n);
    });

    it("goes back when it was unused for a while", async () => {
      const { clock, ledger, one } = instancesOn(8_000n);
      await one.leasedFunds.hold(10n);
      one.leasedFunds.release(10n);
      await one.leasedFunds.returnIfIdle();
      expect(ledger.booksOf(ACCOUNT).leased).toBe(1_000n);
      // A person in a conversation comes back within a minute.
      clock.advance(59_999);
      await one.leasedFunds.returnIfIdle();
      expect(ledger.booksOf(ACCOUNT).leased).toBe(1_000n);
      clock.advance(1);
      await one.leasedFunds.returnIfIdle();
      expect(ledger.booksOf(ACCOUNT)).toEqual({ unleased: 8_000n, leased: 0n });
      expect(one.leasedFunds.canEvict).toBe(true);
    });

    it("stays as long as a request may still need it", async () => {
      const { clock, ledger, one } = instancesOn(8_000n);
      one.leasedFunds.open();
      await one.leasedFunds.hold(10n);
      clock.advance(60_000);
      await one.leasedFunds.returnIfIdle();
      expect(ledger.booksOf(ACCOUNT).leased).toBe(1_000n);
      expect(one.leasedFunds.canEvict).toBe(false);
    });

    it("that could not be given back is read again before it is used", async () => {
      let away = false;
      const ledger = new MemoryLedger({ [ACCOUNT]: 8_000n }, (method) => {
        if (away && method === "giveBack") throw new Error("away");
      });
      const clock = new ManualClock();
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
});
