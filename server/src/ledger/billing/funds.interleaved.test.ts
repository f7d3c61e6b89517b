import { Fault } from "@trunkline/core/fault.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryLedger } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { AccountFunds } from "./funds.ts";

const NOW = Date.UTC(2026, 0, 15, 12);

interface Plan {
  /** Which of the account's two keys asks. */
  readonly key: number;
  readonly worst: bigint;
  readonly raised: bigint;
  /** In hundredths of what is held; undefined: nothing is charged. */
  readonly charged: number | undefined;
  /** The charge is written but its answer is lost. */
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

/** Every request of a plan at once, each step of each waiting for the scheduler, on a ledger that answers just as late. */
function theatre(scheduler: fc.Scheduler, balance: bigint, budget: bigint | undefined) {
  const ledger = new MemoryLedger({ "client-account": balance }, (method, when) =>
    scheduler.schedule(Promise.resolve(), `${method} ${when}`),
  );
  const accountFunds = new AccountFunds(ledger, new HeldClock());
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
    for (const wish of [worst, worst + raised]) {
      await scheduler.schedule(Promise.resolve(), "raise");
      const before = hold.amount;
      const result = await hold.raiseTo(wish);
      if (result !== "held") refused.push(result);
      note(caller.keyId, hold.amount - before);
      if (budget !== undefined) {
        expect((spentBy.get(caller.keyId) ?? 0n) + (openBy.get(caller.keyId) ?? 0n)).toBeLessThanOrEqual(
          budget,
        );
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

describe("requests that run at once, in whatever order their steps fall", () => {
  it("never charge more than was leased, and leave memory and books in agreement", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        plans,
        fc.bigInt({ min: 0n, max: 200n }),
        async (scheduler, requests, balance) => {
          const { ledger, funds: accountFunds, keys, request } = theatre(scheduler, balance, undefined);
          // A charge beyond the lease would be refused by the books and reject here.
          await scheduler.waitFor(Promise.all(requests.map(request)));
          const { unleased, leased } = ledger.booksOf("client-account");
          expect(unleased + leased).toBe(balance - ledger.charged);
          expect(accountFunds.heldOf("client-account")).toBe(0n);
          const caller = keys[0] ?? sampleCaller();
          const spendable = await scheduler.waitFor(
            accountFunds.spendable(caller, NOW, balance + 1n, balance + 1n),
          );
          expect(spendable.balance).toBe(balance - ledger.charged);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("are all let through where the balance covers all of them together", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plans, async (scheduler, requests) => {
        const balance = requests.reduce((sum, { worst, raised }) => sum + worst + raised, 0n);
        const { refused, request } = theatre(scheduler, balance, undefined);
        await scheduler.waitFor(Promise.all(requests.map(request)));
        expect(refused).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["and leave exactly the rest of it", plans, false],
    // A charge in doubt may be counted twice for a while: then there is less left than there could be, never more.
    ["even where answers are lost", lossyPlans, true],
  ])(
    "never exceed a key's budget, neither by holds nor by charges, %s",
    async (_how, anyPlans, mayBeLess) => {
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
                (await scheduler.waitFor(accountFunds.spendable(caller, NOW, 10_000n, 10_000n))).budget ??
                -1n;
              expect(left).toBeGreaterThanOrEqual(0n);
              if (mayBeLess) expect(left).toBeLessThanOrEqual(rest);
              else expect(left).toBe(rest);
            }
          },
        ),
        { numRuns: 1_000 },
      );
    },
  );

  it("never charge more than was leased, although answers of the books are lost on the way", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        lossyPlans,
        fc.bigInt({ min: 0n, max: 200n }),
        async (scheduler, requests, balance) => {
          const { ledger, funds: accountFunds, keys, request } = theatre(scheduler, balance, undefined);
          await scheduler.waitFor(Promise.all(requests.map(request)));
          // Once nothing runs, the books can be read in peace and everything is there again.
          await scheduler.waitFor(accountFunds.resync());
          const caller = keys[0] ?? sampleCaller();
          const spendable = await scheduler.waitFor(
            accountFunds.spendable(caller, NOW, balance + 1n, balance + 1n),
          );
          expect(spendable.balance).toBe(balance - ledger.charged);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("a store that is away", () => {
  it("holds nothing of a hold that could not be made", async () => {
    const ledger = new MemoryLedger({ "client-account": 100n }, (method) => {
      if (method === "extend") throw new Fault("unavailable", "away");
    });
    const accountFunds = new AccountFunds(ledger, new HeldClock());
    const hold = await accountFunds.openHold(sampleCaller({ budget: { limit: 100n, period: "day" } }), NOW);
    await expect(hold.raiseTo(10n)).rejects.toMatchObject({ type: "unavailable" });
    hold.release();
    expect(accountFunds.heldOf("client-account")).toBe(0n);
  });
});
