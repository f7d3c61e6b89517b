import type { Part } from "@trunkline/core/answer.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import { openBill, PLAIN_PRICE, plainCandidate } from "../../../test/support/open-bill.ts";

const text = (words: string): Part => ({ type: "text", text: words });
const usage = (inputTokens: number, outputTokens: number): Part => ({
  type: "usage",
  inputTokens,
  outputTokens,
});
const FIRST = plainCandidate("acme/first");
const DEARER = plainCandidate("other/second", 2_100n, {
  price: { ...PLAIN_PRICE, version: "2", inputPerMillion: 10_000_000n, outputPerMillion: 20_000_000n },
});
const BROKEN = new Fault("provider_error", "The answer broke off.", { attempts: [] });

/** Three words of the first model and two of the second, which says that it counted more. */
async function twoLegs(balance = 10_000n) {
  const stage = await openBill({ balance });
  await stage.choose(FIRST);
  for (const part of [text("one two three "), usage(10, 50)]) stage.bill.meter(part);
  await stage.bill.raiseHoldFor(DEARER);
  stage.journal.chosen = DEARER;
  stage.bill.startSegment(DEARER);
  for (const part of [text("four five"), usage(12, 6)]) stage.bill.meter(part);
  return stage;
}

describe("an answer of two legs", () => {
  it("costs what was delivered of the first by our own count, and of the last by its provider's", async () => {
    const { bill, run: idempotentRun, record } = await twoLegs();
    const first = { model: { provider: "acme", name: "first" }, inputTokens: 10, outputTokens: 3, cost: 16n };
    const second = {
      model: { provider: "other", name: "second" },
      inputTokens: 12,
      outputTokens: 6,
      cost: 240n,
    };
    expect(await bill.settle(idempotentRun)).toMatchObject({
      model: { provider: "other", name: "second" },
      inputTokens: 22,
      outputTokens: 9,
      cost: 256n,
      legs: [
        { ...first, outcome: "cut-off" },
        { ...second, outcome: "answered" },
      ],
    });
    expect(record()).toMatchObject({
      provider: "other",
      model: "second",
      priceVersion: "legs",
      usageSource: "own",
      cost: 256n,
      legs: [
        {
          provider: "acme",
          model: "first",
          priceVersion: "1",
          usageSource: "own",
          outcome: "cut-off",
          cost: 16n,
        },
        {
          provider: "other",
          model: "second",
          priceVersion: "2",
          usageSource: "provider",
          outcome: "answered",
          cost: 240n,
        },
      ],
    });
  });

  it("holds the worst case of the next beside what the first has cost, or says that the money does not reach", async () => {
    const enough = await twoLegs(2_116n);
    expect(enough.funds.heldOf(enough.caller.accountId)).toBe(2_116n);
    const short = await openBill({ balance: 2_115n });
    await short.choose(FIRST);
    short.bill.meter(text("one two three "));
    expect(await short.bill.raiseHoldFor(DEARER)).toBe(false);
    await short.bill.settleDisconnect(short.run);
  });

  it.each([
    ["nothing", "", 0n, 0],
    ["one word of the first", "one", 12n, 0],
    ["all of the first", "one two three ", 16n, 0],
    ["a word of the second", "one two three four", 136n, 2],
    ["everything", "one two three four five", 156n, 2],
  ])("costs on a hang-up what was given of each: %s", async (_what, given, cost, legs) => {
    const { bill, run: idempotentRun, record } = await twoLegs();
    bill.deliver(text(given));
    await bill.settleDisconnect(idempotentRun);
    expect(record()).toMatchObject({ cost });
    expect(record()?.legs).toHaveLength(legs);
  });

  it("is named and priced by the first where nothing of the second was given", async () => {
    const { bill, run: idempotentRun, record } = await twoLegs();
    bill.deliver(text("one"));
    expect(await bill.settleFault(BROKEN, idempotentRun)).toMatchObject({ details: { cost: 1.2e-8 } });
    expect(record()).toMatchObject({ model: "first", priceVersion: "1", status: 502, cost: 12n });
  });

  it("is charged whole where moderation refuses it, as its providers did the work", async () => {
    const { bill, run: idempotentRun, record } = await twoLegs();
    await bill.settleFault(new Fault("unsafe_output", "No."), idempotentRun);
    expect(record()).toMatchObject({ cost: 256n, legs: [{ outcome: "cut-off" }, { outcome: "refused" }] });
  });

  it("is cut at what is held, the last leg first", async () => {
    const { bill, run: idempotentRun, record } = await twoLegs(2_115n);
    for (let i = 0; i < 3; i++) bill.meter(text("word ".repeat(100)));
    bill.meter(usage(1_000, 100));
    await bill.settle(idempotentRun);
    expect(record()).toMatchObject({ held: 210n, cost: 210n, legs: [{ cost: 16n }, { cost: 194n }] });
  });

  it("keeps its legs for a repetition under the same idempotency key", async () => {
    const stage = await openBill({ idempotencyKey: "key-1" });
    await stage.choose(FIRST);
    stage.bill.meter(text("one two three "));
    stage.bill.startSegment(FIRST);
    stage.bill.meter(text("four"));
    const receipt = await stage.bill.settle(stage.run);
    expect(receipt.legs?.map(({ cost }) => cost)).toEqual([16n, 12n]);
    expect(stage.record()?.idempotent).toMatchObject({
      answer: { receipt: { cost: "28", legs: [{ cost: "16" }, { cost: "12" }] } },
    });
  });
});

describe("a leg that made nothing", () => {
  it("is none, and the answer is one of one leg", async () => {
    const { bill, run: idempotentRun, record, choose } = await openBill();
    await choose(FIRST);
    bill.startSegment(DEARER);
    bill.meter(text("one"));
    expect(await bill.settle(idempotentRun)).not.toHaveProperty("legs");
    expect(record()).toMatchObject({ model: "second", priceVersion: "2", legs: [] });
  });
});

describe("an answer that failed its check", () => {
  it("is charged by its provider's count, whatever becomes of the request", async () => {
    const { bill, run: idempotentRun, record, choose } = await openBill();
    await choose(FIRST);
    for (const part of [text("one"), usage(10, 5)]) bill.meter(part);
    bill.failCheck();
    expect(bill.costSoFar).toBe(20n);
    bill.startSegment(DEARER);
    bill.meter(text("two"));
    await bill.settleDisconnect(idempotentRun);
    expect(record()).toMatchObject({ model: "first", cost: 20n, usageSource: "provider", status: 200 });
  });

  it("has no share in what is given of the next", async () => {
    const { bill, run: idempotentRun, record, choose } = await openBill();
    await choose(FIRST);
    for (const part of [text("one two three"), usage(10, 5)]) bill.meter(part);
    bill.failCheck();
    bill.startSegment(DEARER);
    bill.meter(text("four five"));
    bill.deliver(text("four"));
    await bill.settleDisconnect(idempotentRun);
    expect(record()?.legs).toMatchObject([
      { outcome: "failed-check", outputTokens: 5, cost: 20n },
      { outcome: "cut-off", outputTokens: 1, cost: 120n },
    ]);
  });

  it("that broke off before it was whole costs nothing", async () => {
    const { bill, run: idempotentRun, record, choose } = await openBill();
    await choose(FIRST);
    bill.meter(text("one two three"));
    bill.dropSegment();
    bill.startSegment(DEARER);
    bill.meter(text("four five"));
    expect(await bill.settle(idempotentRun)).toMatchObject({ cost: 140n });
    expect(record()).toMatchObject({ legs: [] });
  });
});
