import { Fault } from "@trunkline/core/fault.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryLedger, type Passage } from "../../../test/support/memory-ledger.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { SettlementWriter } from "./settlement-writer.ts";

async function settlerWith(balance: bigint, passage?: Passage) {
  const ledger = new MemoryLedger({ "client-account": balance }, passage);
  if (balance > 0n) await ledger.extendLease(balancePool("client-account"), balance);
  return { ledger, settler: new SettlementWriter(ledger) };
}

const named = (requestId: string, cost = 0n) => sampleSettlement({ requestId, cost });
const away = () => new Fault("unavailable", "The database is unavailable.");

describe("settlements that end together", () => {
  it("are written together, in their order", async () => {
    const { ledger, settler: settlementWriter } = await settlerWith(0n);
    const ids = Array.from({ length: 50 }, (_, index) => `r${index}`);
    await Promise.all(ids.map((id) => settlementWriter.write(named(id))));
    expect(ledger.batches).toEqual([ids]);
  });

  it("wait for the batch that is being written, and go into the next one", async () => {
    const writing = newGate();
    let first = true;
    const { ledger, settler: settlementWriter } = await settlerWith(0n, (method, when) => {
      if (method !== "write" || when !== "asking" || !first) return undefined;
      first = false;
      return writing.opened;
    });
    const early = settlementWriter.write(named("early"));
    await new Promise((resolve) => setImmediate(resolve));
    const late = [settlementWriter.write(named("late")), settlementWriter.write(named("later"))];
    writing.open();
    await Promise.all([early, ...late]);
    expect(ledger.batches).toEqual([["early"], ["late", "later"]]);
  });

  it("are written in batches of at most 256", async () => {
    const { ledger, settler: settlementWriter } = await settlerWith(0n);
    await Promise.all(Array.from({ length: 600 }, (_, index) => settlementWriter.write(named(`r${index}`))));
    expect(ledger.batches.map((batch) => batch.length)).toEqual([256, 256, 88]);
    expect(ledger.batches.flat()).toEqual(Array.from({ length: 600 }, (_, index) => `r${index}`));
  });

  it("resolve only once they are durable", async () => {
    const { ledger, settler: settlementWriter } = await settlerWith(100n);
    const ids = ["a", "b", "c"];
    await Promise.all(
      ids.map(async (id) => {
        await settlementWriter.write(named(id, 10n));
        expect(ledger.written.has(id)).toBe(true);
      }),
    );
    expect(ledger.charged).toBe(30n);
  });

  it("are reported once they are durable, and not when they never are", async () => {
    const ledger = new MemoryLedger({ "client-account": 10n });
    await ledger.extendLease(balancePool("client-account"), 10n);
    const reported: string[] = [];
    const settlementWriter = new SettlementWriter(ledger, (settlements) => {
      reported.push(...settlements.map(({ requestId }) => requestId));
    });
    const outcomes = await Promise.allSettled(
      [named("paid", 5n), named("unpaid", 50n), named("free")].map((settlement) => settlementWriter.write(settlement)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(reported).toEqual(["paid", "free"]);
  });

  it("are all written when the writer is idle", async () => {
    const { ledger, settler: settlementWriter } = await settlerWith(0n);
    await settlementWriter.idle();
    const writes = ["a", "b"].map((id) => settlementWriter.write(named(id)));
    await settlementWriter.idle();
    expect([...ledger.written.keys()]).toEqual(["a", "b"]);
    await Promise.all(writes);
    await settlementWriter.write(named("c"));
    expect(ledger.written.has("c")).toBe(true);
  });
});

describe("one bad settlement", () => {
  it("fails alone: the others are still written, in order", async () => {
    const { ledger, settler: settlementWriter } = await settlerWith(50n);
    const results = await Promise.allSettled([
      settlementWriter.write(named("a", 10n)),
      settlementWriter.write(named("too dear", 1_000n)),
      settlementWriter.write(named("b", 20n)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect([...ledger.written.keys()]).toEqual(["a", "b"]);
    expect(ledger.batches).toEqual([["a", "too dear", "b"], ["a"], ["too dear"], ["b"]]);
  });

  it("does not stop those that come after it", async () => {
    const { ledger, settler: settlementWriter } = await settlerWith(50n);
    await expect(settlementWriter.write(named("too dear", 1_000n))).rejects.toThrow("below zero");
    await settlementWriter.write(named("next", 50n));
    expect(ledger.charged).toBe(50n);
  });
});

describe("an unavailable store", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets time pass until the work is done. Timers that are not of this test, as of a client's kept connection, don't count. */
  async function patiently<Result>(work: Promise<Result>): Promise<Result> {
    const state = { done: false };
    const finished = work.finally(() => {
      state.done = true;
    });
    finished.catch(() => undefined);
    while (!state.done) {
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(50);
    }
    return finished;
  }

  it("is retried after a pause, and the answer comes late but right", async () => {
    let failures = 3;
    const { ledger, settler: settlementWriter } = await settlerWith(100n, (method, when) => {
      if (method === "write" && when === "asking" && failures-- > 0) throw away();
    });
    await patiently(settlementWriter.write(named("a", 10n)));
    expect(ledger.charged).toBe(10n);
  });

  it("charges once although a write succeeded before its result was lost", async () => {
    let lost = 2;
    const { ledger, settler: settlementWriter } = await settlerWith(100n, (method, when) => {
      if (method === "write" && when === "answering" && lost-- > 0) throw away();
    });
    await patiently(settlementWriter.write(named("a", 10n)));
    expect(ledger.charged).toBe(10n);
    expect(ledger.booksOf("client-account").leased).toBe(90n);
  });

  it("fails the whole batch after a while, without writing one by one", async () => {
    let attempts = 0;
    const { settler: settlementWriter } = await settlerWith(100n, (method, when) => {
      if (method !== "write" || when !== "asking") return;
      attempts++;
      throw away();
    });
    const results = await patiently(
      Promise.allSettled([settlementWriter.write(named("a")), settlementWriter.write(named("b"))]),
    );
    expect(results).toMatchObject([
      { status: "rejected", reason: { type: "unavailable" } },
      { status: "rejected", reason: { type: "unavailable" } },
    ]);
    expect(attempts).toBe(20);
  });

  it("is not retried for settlements that it refused for good", async () => {
    let attempts = 0;
    const { settler: settlementWriter } = await settlerWith(0n, (method, when) => {
      if (method === "write" && when === "asking") attempts++;
    });
    await expect(settlementWriter.write(named("a", 10n))).rejects.toThrow("below zero");
    expect(attempts).toBe(1);
  });

  it("delays none longer than that, however many wait", async () => {
    const { settler: settlementWriter } = await settlerWith(0n, (method, when) => {
      if (method === "write" && when === "asking") throw away();
    });
    const begun = performance.now();
    const ends: number[] = [];
    const all = Array.from({ length: 1_000 }, (_, index) =>
      settlementWriter.write(named(`r${index}`)).catch(() => ends.push(performance.now() - begun)),
    );
    await patiently(Promise.all(all));
    expect(ends).toHaveLength(1_000);
    expect(Math.max(...ends)).toBeLessThan(10_000);
  });
});
