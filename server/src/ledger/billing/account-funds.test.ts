import type { Budget } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryLedger, type Passage } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { AccountFunds, explainInsufficientFunds } from "./account-funds.ts";
import { Budgets, KEYS } from "./budgets.ts";

describe("AccountFunds", () => {
  const NOW = Date.UTC(2026, 0, 15, 12);

  function fundsWith(balance: bigint, budget?: Budget) {
    const ledger = new MemoryLedger({ "client-account": balance, other: 500n });
    const accountFunds = new AccountFunds(ledger, new ManualClock());
    return { ledger, funds: accountFunds, caller: sampleCaller({ budget }) };
  }

  describe("a hold", () => {
    it("starts empty and can be raised step by step", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n);
      const hold = await accountFunds.openHold(caller, NOW);
      expect(hold.amount).toBe(0n);
      expect(await hold.raiseTo(40n)).toBe("held");
      expect(await hold.raiseTo(70n)).toBe("held");
      expect(hold.amount).toBe(70n);
      expect(accountFunds.heldOf(caller.accountId)).toBe(70n);
    });

    it("does not change when raised to less than it has", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n);
      const hold = await accountFunds.openHold(caller, NOW);
      await hold.raiseTo(40n);
      expect(await hold.raiseTo(40n)).toBe("held");
      expect(await hold.raiseTo(10n)).toBe("held");
      expect(await hold.raiseTo(0n)).toBe("held");
      expect(hold.amount).toBe(40n);
    });

    it("reports a balance that is too small, and does not change", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n);
      const hold = await accountFunds.openHold(caller, NOW);
      await hold.raiseTo(40n);
      expect(await hold.raiseTo(101n)).toBe("balance");
      expect(hold.amount).toBe(40n);
      expect(accountFunds.heldOf(caller.accountId)).toBe(40n);
    });

    it("reports a budget that is too small, and takes nothing from the balance", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n, { limit: 30n, period: "day" });
      const hold = await accountFunds.openHold(caller, NOW);
      expect(await hold.raiseTo(31n)).toBe("budget");
      expect(hold.amount).toBe(0n);
      expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
      expect(await hold.raiseTo(30n)).toBe("held");
    });

    it("ends with a capture: the charge is gone, the rest is free", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n, { limit: 90n, period: "day" });
      const hold = await accountFunds.openHold(caller, NOW);
      await hold.raiseTo(60n);
      hold.capture(25n);
      expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
      expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({
        balance: 75n,
        budget: 65n,
      });
    });

    it("ends with a release: everything is free", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n, { limit: 90n, period: "day" });
      const hold = await accountFunds.openHold(caller, NOW);
      await hold.raiseTo(60n);
      hold.release();
      expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({
        balance: 100n,
        budget: 90n,
      });
    });

    it("ends once: a second end throws and changes nothing", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n);
      const captured = await accountFunds.openHold(caller, NOW);
      await captured.raiseTo(10n);
      captured.capture(10n);
      const released = await accountFunds.openHold(caller, NOW);
      released.release();
      for (const hold of [captured, released]) {
        expect(() => hold.capture(5n)).toThrow("twice");
        expect(() => hold.release()).toThrow("twice");
      }
      expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({
        balance: 90n,
        budget: undefined,
      });
    });
  });

  describe("what a caller could spend", () => {
    it("is the balance minus the holds, together with the key's own budget", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n, { limit: 1_000n, period: "total" });
      const hold = await accountFunds.openHold(caller, NOW);
      await hold.raiseTo(30n);
      expect(await accountFunds.spendable(caller, NOW, 1_000n, 1_000n)).toEqual({
        balance: 70n,
        budget: 970n,
      });
    });

    it("is separate for each account", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n);
      await (await accountFunds.openHold(caller, NOW)).raiseTo(100n);
      expect(await accountFunds.spendable({ ...caller, accountId: "other" }, NOW, 1_000n, 1_000n)).toEqual({
        balance: 500n,
        budget: undefined,
      });
      expect(await accountFunds.spendable({ ...caller, accountId: "nobody" }, NOW, 1_000n, 1_000n)).toEqual({
        balance: 0n,
        budget: undefined,
      });
      expect(accountFunds.heldOf("nobody")).toBe(0n);
    });

    it("is shared by all keys of an account, although each has its own budget", async () => {
      const { funds: accountFunds, caller } = fundsWith(100n, { limit: 80n, period: "day" });
      await (await accountFunds.openHold(caller, NOW)).raiseTo(60n);
      const sister = { ...caller, keyId: "sister" };
      expect(await accountFunds.spendable(sister, NOW, 1_000n, 1_000n)).toEqual({
        balance: 40n,
        budget: 80n,
      });
    });
  });
});

describe("AccountFunds with interleaved requests", () => {
  const NOW = Date.UTC(2026, 0, 15, 12);

  interface Plan {
    /** Which of the account's two keys is used. */
    readonly key: number;
    readonly worst: bigint;
    readonly raised: bigint;
    /** In hundredths of the hold; undefined: nothing is charged. */
    readonly charged: number | undefined;
    /** The charge is written but its result is lost. */
    readonly lost: boolean;
  }

  const amount = fc.bigInt({ min: 1n, max: 40n });
  const plan: fc.Arbitrary<Plan> = fc.record({
    key: fc.nat(1),
    worst: amount,
    raised: amount,
    charged: fc.option(fc.nat(100), { nil: undefined }),
    lost: fc.constant(false),
  });
  const plans = fc.array(plan, { minLength: 2, maxLength: 8 });
  const lossyPlans = fc.array(
    fc.tuple(plan, fc.boolean()).map(([known, lost]) => ({ ...known, lost })),
    { minLength: 2, maxLength: 8 },
  );

  /** Runs every request of a plan at once. Each step waits for the scheduler, and so do the ledger's answers. */
  function theatre(scheduler: fc.Scheduler, balance: bigint, budget: bigint | undefined) {
    const ledger = new MemoryLedger({ "client-account": balance }, (method, when) =>
      scheduler.schedule(Promise.resolve(), `${method} ${when}`),
    );
    const accountFunds = new AccountFunds(ledger, new ManualClock());
    const keys = ["one", "two"].map((keyId) =>
      sampleCaller({ keyId, budget: budget === undefined ? undefined : { limit: budget, period: "day" } }),
    );
    const refused: string[] = [];
    const spentBy = new Map<string, bigint>();
    const openBy = new Map<string, bigint>();
    const note = (keyId: string, by: bigint) => openBy.set(keyId, (openBy.get(keyId) ?? 0n) + by);

    async function request({ key, worst, raised, charged, lost }: Plan): Promise<void> {
      const caller = keys[key] ?? sampleCaller();
      const hold = await accountFunds.openHold(caller, NOW);
      for (const amount of [worst, worst + raised]) {
        await scheduler.schedule(Promise.resolve(), "raise");
        const before = hold.amount;
        const result = await hold.raiseTo(amount);
        if (result !== "held") refused.push(result);
        note(caller.keyId, hold.amount - before);
        if (budget !== undefined) {
          expect((spentBy.get(caller.keyId) ?? 0n) + (openBy.get(caller.keyId) ?? 0n)).toBeLessThanOrEqual(budget);
        }
      }
      await scheduler.schedule(Promise.resolve(), "answer");
      const held = hold.amount;
      if (charged === undefined) {
        hold.release();
        note(caller.keyId, -held);
        return;
      }
      const cost = (held * BigInt(charged)) / 100n;
      await ledger.write([
        sampleSettlement({ keyId: caller.keyId, held, cost, budget: hold.budget, createdAt: new Date(NOW) }),
      ]);
      if (lost) await hold.settleFromLedger();
      else hold.capture(cost);
      note(caller.keyId, -held);
      spentBy.set(caller.keyId, (spentBy.get(caller.keyId) ?? 0n) + cost);
    }

    return { ledger, funds: accountFunds, keys, refused, spentBy, request };
  }

  describe("concurrent requests, in any order of their steps", () => {
    it("never charge more than was leased, and leave memory and ledger in agreement", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          plans,
          fc.bigInt({ min: 0n, max: 200n }),
          async (scheduler, requests, balance) => {
            const { ledger, funds: accountFunds, keys, request } = theatre(scheduler, balance, undefined);
            // The ledger would refuse a charge beyond the lease, and this would reject.
            await scheduler.waitFor(Promise.all(requests.map(request)));
            const { unleased, leased } = ledger.booksOf("client-account");
            expect(unleased + leased).toBe(balance - ledger.charged);
            expect(accountFunds.heldOf("client-account")).toBe(0n);
            const caller = keys[0] ?? sampleCaller();
            const spendable = await scheduler.waitFor(
              Promise.resolve(accountFunds.spendable(caller, NOW, balance + 1n, balance + 1n)),
            );
            expect(spendable.balance).toBe(balance - ledger.charged);
          },
        ),
        { numRuns: 250 },
      );
    });

    it("are all admitted when the balance covers them together", async () => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), plans, async (scheduler, requests) => {
          const balance = requests.reduce((sum, { worst, raised }) => sum + worst + raised, 0n);
          const { refused, request } = theatre(scheduler, balance, undefined);
          await scheduler.waitFor(Promise.all(requests.map(request)));
          expect(refused).toEqual([]);
        }),
        { numRuns: 250 },
      );
    });

    it.each([
      ["and leave exactly the rest of it", plans, false],
      // A charge of unknown outcome may count twice for a while: then less is left than possible, never more.
      ["even when results are lost", lossyPlans, true],
    ])("never exceed a key's budget, neither by holds nor by charges, %s", async (_how, anyPlans, mayBeLess) => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          anyPlans,
          fc.bigInt({ min: 0n, max: 100n }),
          async (scheduler, requests, budget) => {
            const { funds: accountFunds, keys, spentBy, request } = theatre(scheduler, 10_000n, budget);
            await scheduler.waitFor(Promise.all(requests.map(request)));
            for (const caller of keys) {
              const rest = budget - (spentBy.get(caller.keyId) ?? 0n);
              const left =
                (await scheduler.waitFor(Promise.resolve(accountFunds.spendable(caller, NOW, 10_000n, 10_000n))))
                  .budget ?? -1n;
              expect(left).toBeGreaterThanOrEqual(0n);
              if (mayBeLess) expect(left).toBeLessThanOrEqual(rest);
              else expect(left).toBe(rest);
            }
          },
        ),
        { numRuns: 250 },
      );
    });

    it("never charge more than was leased, although results of the ledger are lost", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          lossyPlans,
          fc.bigInt({ min: 0n, max: 200n }),
          async (scheduler, requests, balance) => {
            const { ledger, funds: accountFunds, keys, request } = theatre(scheduler, balance, undefined);
            await scheduler.waitFor(Promise.all(requests.map(request)));
            // Once nothing runs, the ledger can be read safely and everything is there again.
            await scheduler.waitFor(accountFunds.resync());
            const caller = keys[0] ?? sampleCaller();
            const spendable = await scheduler.waitFor(
              Promise.resolve(accountFunds.spendable(caller, NOW, balance + 1n, balance + 1n)),
            );
            expect(spendable.balance).toBe(balance - ledger.charged);
          },
        ),
        { numRuns: 250 },
      );
    });
  });

  describe("an unavailable store", () => {
    it("leaves nothing held after a failed hold", async () => {
      const ledger = new MemoryLedger({ "client-account": 100n }, (method) => {
        if (method === "extend") throw new Fault("unavailable", "away");
      });
      const accountFunds = new AccountFunds(ledger, new ManualClock());
      const hold = await accountFunds.openHold(sampleCaller({ budget: { limit: 100n, period: "day" } }), NOW);
      await expect(hold.raiseTo(10n)).rejects.toMatchObject({ type: "unavailable" });
      hold.release();
      expect(accountFunds.heldOf("client-account")).toBe(0n);
    });
  });
});

describe("Budgets", () => {
  const DAY_MS = 86_400_000;
  const NOON = Date.UTC(2026, 0, 15, 12);
  const MUCH = 1_000_000n;

  function bookOf(budget: Budget | undefined, passage?: Passage) {
    const clock = new ManualClock(NOON);
    const ledger = new MemoryLedger({ "client-account": 1_000n }, passage);
    const book = new Budgets(ledger, clock, KEYS);
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
    it("is undefined for a key without one", async () => {
      const { book, caller } = bookOf(undefined);
      expect(await book.open(caller, NOON)).toBeUndefined();
    });

    it("never exceeds its limit, and gets back what was not charged", async () => {
      const { open, left } = bookOf({ limit: 100n, period: "day" });
      const { funds: leasedFunds } = await open();
      expect(await leasedFunds.hold(60n)).toBe(true);
      expect(await leasedFunds.hold(41n)).toBe(false);
      expect(await leasedFunds.hold(40n)).toBe(true);
      expect(await left()).toBe(0n);
      leasedFunds.release(70n);
      expect(await left()).toBe(70n);
    });

    it("is shared by all requests of the key", async () => {
      const { open } = bookOf({ limit: 100n, period: "month" });
      const [one, other] = await Promise.all([open(), open()]);
      expect(other.funds).toBe(one.funds);
    });

    it("starts with what the ledger says was spent in the current period", async () => {
      const { ledger, left } = bookOf({ limit: 100n, period: "day" });
      await ledger.extendLease(balancePool("client-account"), 100n);
      const earlier = new Date(NOON - DAY_MS);
      await ledger.write([
        sampleSettlement({ cost: 25n, createdAt: new Date(NOON) }),
        sampleSettlement({ cost: 50n, createdAt: earlier }),
      ]);
      expect(await left()).toBe(75n);
    });

    it("counts all spending when it is a total budget", async () => {
      const { ledger, left } = bookOf({ limit: 100n, period: "total" });
      await ledger.extendLease(balancePool("client-account"), 100n);
      await ledger.write([sampleSettlement({ cost: 50n, createdAt: new Date(0) })]);
      expect(await left()).toBe(50n);
    });

    it("is not read again once it is used up: it can only shrink", async () => {
      let reads = 0;
      const { open } = bookOf({ limit: 100n, period: "day" }, (_method, when) => {
        if (when === "asking") reads++;
      });
      const { funds: leasedFunds } = await open();
      expect(await leasedFunds.hold(100n)).toBe(true);
      expect(await leasedFunds.hold(1n)).toBe(false);
      const before = reads;
      for (let i = 0; i < 10; i++) expect(await leasedFunds.hold(1n)).toBe(false);
      expect(reads).toBe(before);
    });

    it("is whole again in the next period; running requests belong to the old one", async () => {
      const { clock, left, open } = bookOf({ limit: 100n, period: "day" });
      const late = await open();
      await late.funds.hold(80n);
      clock.advance(DAY_MS);
      expect(await left()).toBe(100n);
      expect(await late.funds.hold(20n)).toBe(true);
      expect(await late.funds.hold(1n)).toBe(false);
    });

    it("is never negative, even when lowered below what is spent", async () => {
      const { caller, open, left } = bookOf({ limit: 100n, period: "day" });
      await (await open()).funds.hold(90n);
      const lowered = { ...caller, budget: { limit: 50n, period: "day" } as const };
      expect(await left(lowered)).toBe(0n);
      expect(await (await open(lowered)).funds.hold(1n)).toBe(false);
    });

    it("can be spent up to a raised limit at once", async () => {
      const { caller, open } = bookOf({ limit: 100n, period: "day" });
      const { funds: leasedFunds } = await open();
      expect(await leasedFunds.hold(100n)).toBe(true);
      expect(await leasedFunds.hold(1n)).toBe(false);
      const raised = await open({ ...caller, budget: { limit: 150n, period: "day" } });
      expect(await raised.funds.hold(50n)).toBe(true);
      expect(await raised.funds.hold(1n)).toBe(false);
    });

    it("keeps its holds when its period is changed meanwhile", async () => {
      const { caller, open, left } = bookOf({ limit: 100n, period: "day" });
      await (await open()).funds.hold(80n);
      expect(await left({ ...caller, budget: { limit: 100n, period: "month" } })).toBeLessThanOrEqual(20n);
    });

    it("is read again after a failed lookup", async () => {
      let away = true;
      const { left } = bookOf({ limit: 100n, period: "day" }, () => {
        if (away) throw new Error("away");
      });
      await expect(left()).rejects.toThrow("away");
      away = false;
      expect(await left()).toBe(100n);
    });

    it("is evicted only when nothing of it is leased any more", async () => {
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
});

describe("explainInsufficientFunds", () => {
  const ledger = new MemoryLedger({ empty: 0n, spent: 5n, full: 5n });
  const LACK = new Fault("insufficient_balance", "This request may cost 1 credit and 0 credits are available.");

  describe("insufficient funds", () => {
    it("get a clear message when nothing is left at all", async () => {
      const fault = await explainInsufficientFunds(ledger, "empty", LACK).catch((error: unknown) => error);
      expect(fault).toMatchObject({
        type: "insufficient_balance",
        message: expect.stringMatching(/no credits left.*suspended until credits are added\.$/),
      });
    });

    it("keep their message when credits are left, even if all of them are held", async () => {
      await ledger.extendLease(balancePool("spent"), 5n);
      await expect(explainInsufficientFunds(ledger, "spent", LACK)).rejects.toBe(LACK);
      await expect(explainInsufficientFunds(ledger, "full", LACK)).rejects.toBe(LACK);
    });

    it("are not confused with other errors", async () => {
      for (const other of [new Fault("budget_exceeded", "The budget is used up."), new Error("A bug.")])
        await expect(explainInsufficientFunds(ledger, "empty", other)).rejects.toBe(other);
    });
  });
});
