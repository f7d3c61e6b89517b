import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { describe, expect, it } from "vitest";
import { MemoryLedger } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { LeasedFunds } from "./leased-funds.ts";

describe("leased-funds", () => {
  const ACCOUNT = "client-account";

  /** A purse over a balance; `pause` holds the next answer of one of the ledger's methods back until its gate is opened. */
  function purseWith(balance: bigint) {
    const held = new Map<string, Promise<void>>();
    const asked: string[] = [];
    const ledger = new MemoryLedger({ [ACCOUNT]: balance }, (method, when) => {
      if (when === "asking") asked.push(method);
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
      purse: new LeasedFunds(balancePool(ACCOUNT), ledger, new HeldClock()),
      asked,
      pause,
      charge,
    };
  }

  /** Lets everything that can go on without the outside go on. */
  const settleDown = () => new Promise((resolve) => setImmediate(resolve));

  describe("a purse", () => {
    it("asks the books only when its slice runs low", async () => {
      const { purse: leasedFunds, asked } = purseWith(8_000n);
      for (let i = 0; i < 74; i++) expect(await leasedFunds.hold(10n)).toBe(true);
      // Three quarters are gone: the next slice is fetched before it is needed.
      expect(asked).toEqual(["extend"]);
      expect(await leasedFunds.hold(10n)).toBe(true);
      await settleDown();
      expect(asked).toEqual(["extend", "extend"]);
      expect(leasedFunds.held).toBe(750n);
      expect(leasedFunds.free).toBe(250n + 875n);
    });

    it("lets the last credit be spent, and not one more", async () => {
      const { purse: leasedFunds, ledger } = purseWith(1_000n);
      let held = 0n;
      while (await leasedFunds.hold(7n)) held += 7n;
      expect(held).toBe(994n);
      expect(await leasedFunds.hold(6n)).toBe(true);
      expect(await leasedFunds.hold(1n)).toBe(false);
      expect(ledger.booksOf(ACCOUNT)).toEqual({ unleased: 0n, leased: 1_000n });
    });

    it("changes nothing when it refuses", async () => {
      const { purse: leasedFunds, ledger } = purseWith(100n);
      expect(await leasedFunds.hold(101n)).toBe(false);
      expect(leasedFunds.held).toBe(0n);
      expect(ledger.booksOf(ACCOUNT)).toEqual({ unleased: 100n, leased: 0n });
      expect(await leasedFunds.hold(100n)).toBe(true);
    });

    it("has free again what is released, and less by what is captured", async () => {
      const { purse: leasedFunds } = purseWith(100n);
      await leasedFunds.hold(100n);
      leasedFunds.release(30n);
      expect(leasedFunds.free).toBe(30n);
      leasedFunds.capture(70n, 20n);
      expect(leasedFunds.held).toBe(0n);
      expect(leasedFunds.free).toBe(80n);
    });

    it("says exactly what could be held, wherever that is below what is enough", async () => {
      const { purse: leasedFunds, asked } = purseWith(800n);
      expect(await leasedFunds.spendable(801n, 801n)).toBe(800n);
      await leasedFunds.hold(50n);
      expect(await leasedFunds.spendable(801n, 801n)).toBe(750n);
      asked.length = 0;
      expect(await leasedFunds.spendable(10n, 10n)).toBe(leasedFunds.free);
      expect(asked).toEqual([]);
    });

    it("leases once for many who come at the same moment", async () => {
      const { purse: leasedFunds, asked } = purseWith(8_000n);
      const held = await Promise.all(Array.from({ length: 50 }, () => leasedFunds.hold(10n)));
      expect(held).not.toContain(false);
      expect(asked).toEqual(["extend"]);
    });

    it("survives a lease that fails: the next hold asks again", async () => {
      let away = true;
      const ledger = new MemoryLedger({ [ACCOUNT]: 100n }, () => {
        if (away) throw new Error("away");
      });
      const leasedFunds = new LeasedFunds(balancePool(ACCOUNT), ledger, new HeldClock());
      await expect(leasedFunds.hold(10n)).rejects.toThrow("away");
      away = false;
      expect(await leasedFunds.hold(10n)).toBe(true);
    });

    it("refuses nobody whom the balance covers, although another took of the slice meanwhile", async () => {
      const { purse: leasedFunds, pause } = purseWith(20n);
      expect(await leasedFunds.hold(8n)).toBe(true);
      leasedFunds.release(8n);
      const lease = pause("extend");
      const large = leasedFunds.hold(10n);
      await settleDown();
      expect(await leasedFunds.hold(5n)).toBe(true);
      lease.open();
      // Twenty in all, five are held: ten more are there.
      expect(await large).toBe(true);
    });

    it("takes what was set free while the books were asked, although they had nothing to add", async () => {
      const { purse: leasedFunds, pause } = purseWith(10n);
      await leasedFunds.hold(5n);
      const lease = pause("extend");
      const whole = leasedFunds.hold(10n);
      await settleDown();
      leasedFunds.release(5n);
      lease.open();
      expect(await whole).toBe(true);
    });

    it("does not forget a capture that happens while its slice is being extended", async () => {
      const { purse: leasedFunds, ledger, pause, charge } = purseWith(1_000n);
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

  describe("reading the books anew", () => {
    it("puts right what a lost answer left open", async () => {
      const { purse: leasedFunds, ledger, charge } = purseWith(100n);
      await leasedFunds.hold(60n);
      await charge(40n);
      leasedFunds.release(60n);
      expect(leasedFunds.free).toBe(60n);
      await leasedFunds.resync();
      expect(leasedFunds.free).toBe(ledger.booksOf(ACCOUNT).leased);
    });

    it("never makes money out of a capture that happens meanwhile", async () => {
      const { purse: leasedFunds, ledger, pause, charge } = purseWith(100n);
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

    it("does not lose a slice that arrives meanwhile", async () => {
      const { purse: leasedFunds, ledger, pause } = purseWith(100n);
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

describe("leased-funds.shared", () => {
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
});
