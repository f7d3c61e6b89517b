import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { openTraffic, step } from "../../../test/support/ledger-traffic.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterAll(() => store.close());

describe("whatever happens to the money", () => {
  it("the ledger is sound, and an account has what it was granted less what it spent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
        const { take, check, close } = await openTraffic(store);
        for (const next of steps) await take(next);
        await check();
        await close();
        await check();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  it("the same holds where everything happens at once", async () => {
    const harmless = step.filter((next) => next.act === "grant" || next.act === "lease");
    await fc.assert(
      fc.asyncProperty(fc.array(harmless, { minLength: 5, maxLength: 20 }), async (steps) => {
        const { take, check, close } = await openTraffic(store);
        await Promise.all(steps.map(take));
        await check();
        await close();
        await check();
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});
