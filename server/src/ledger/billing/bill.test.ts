import { Fault, type FaultType } from "@trunkline/core/fault.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BillSite, openBill, PLAIN_PRICE, plainCandidate } from "../../../test/support/open-bill.ts";

describe("Bill", () => {
  const text = (words: string): Part => ({ type: "text", text: words });
  const usage = (inputTokens: unknown, outputTokens: unknown): Part => ({
    type: "usage",
    inputTokens,
    outputTokens,
  });
  const PICTURE: Part = { type: "media", kind: "image", url: "https://example.test/i.png", source: {} };
  const SPEECH: Part = { type: "media", kind: "audio", url: "https://example.test/a.mp3", source: {} };
  const WAV: Part = { type: "media", kind: "audio", url: makeWav(), source: {} };
  const seconds = (length: number): Part => ({
    type: "usage",
    inputTokens: undefined,
    outputTokens: undefined,
    seconds: length,
  });
  const TOOL_CALL: Part = { type: "tool-call", id: "1", name: "look", arguments: "one two three" };

  /** A chosen candidate that produced these parts, all of them delivered. */
  async function answered(parts: readonly Part[], site: BillSite = {}, candidate = plainCandidate()) {
    const stage = await openBill(site);
    await stage.choose(candidate);
    for (const part of parts) {
      stage.bill.meter(part);
      stage.answer.add(part);
    }
    return stage;
  }

  describe("a complete answer", () => {
    it("is charged by the provider's count, and the receipt shows it", async () => {
      const { bill, answer, idempotentRun, record, spendable } = await answered([text("Hello world"), usage(12, 34)]);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({
        type: "receipt",
        model: { provider: "acme", name: "plain" },
        inputTokens: 12,
        outputTokens: 34,
        cost: 80n,
      });
      expect(record()).toMatchObject({
        status: 200,
        cost: 80n,
        held: 210n,
        usageSource: "provider",
        inputTokens: 12,
        outputTokens: 34,
      });
      expect(await spendable()).toBe(9_920n);
      expect(bill.isSettled).toBe(true);
    });

    it.each([
      ["missing", []],
      ["unbelievable", [usage(1_000_000, 1_000_000)]],
      ["nonsense", [usage("many", null)]],
    ])("is charged by our own count when the provider's is %s", async (_what, more) => {
      const { bill, answer, idempotentRun, record } = await answered([text("one two "), text("three"), ...more]);
      // Ten input tokens as quoted, three words of output.
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ inputTokens: 10, outputTokens: 3, cost: 16n });
      expect(record()).toMatchObject({ usageSource: "own" });
    });

    it("may be as long as all requested choices together", async () => {
      const parts = [text("word ".repeat(150)), usage(10, 150)];
      const one = await answered(parts, {}, plainCandidate("acme/plain", 410n));
      expect(await one.bill.settle(one.answer, one.idempotentRun)).toMatchObject({ outputTokens: 100 });
      const two = await answered(parts, { parameters: { choices: 2 } }, plainCandidate("acme/plain", 410n));
      expect(await two.bill.settle(two.answer, two.idempotentRun)).toMatchObject({ outputTokens: 150 });
    });

    it("is charged per image, and for tool calls by their text", async () => {
      const picture = await answered([PICTURE, PICTURE], {}, plainCandidate("acme/painter", 5_000n, { type: "image" }));
      expect(await picture.bill.settle(picture.answer, picture.idempotentRun)).toMatchObject({ cost: 10n + 2_000n });
      expect(picture.record()).toMatchObject({ images: 2, cost: 10n + 2_000n });
      const tool = await answered([TOOL_CALL]);
      expect(await tool.bill.settle(tool.answer, tool.idempotentRun)).toMatchObject({ outputTokens: 3, cost: 16n });
    });

    it("with vectors is charged for the input alone", async () => {
      const vector: Part = { type: "embedding", index: 0, vector: [0.6, 0.8] };
      const embedded = await answered([vector, usage(12, 0)]);
      expect(await embedded.bill.settle(embedded.answer, embedded.idempotentRun)).toMatchObject({
        inputTokens: 12,
        outputTokens: 0,
        cost: 12n,
      });
      expect(embedded.record()).toMatchObject({ usageSource: "provider" });
    });

    it("is charged for cached input at its own price, and the record shows how much it was", async () => {
      const price = { ...PLAIN_PRICE, cachedInputPerMillion: 100_000n };
      const cached: Part = { type: "usage", inputTokens: 12, outputTokens: 34, cachedInputTokens: 10 };
      const { bill, answer, idempotentRun, record } = await answered(
        [text("Hello world"), cached],
        {},
        plainCandidate("acme/plain", 210n, { price }),
      );
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ inputTokens: 12, cost: 2n + 1n + 68n });
      expect(record()).toMatchObject({ inputTokens: 12, cachedInputTokens: 10, cost: 71n });
    });

    it("is charged for cache writes at their own price, and record and receipt show how much it was", async () => {
      const price = { ...PLAIN_PRICE, cachedInputPerMillion: 100_000n, cacheWritePerMillion: 1_250_000n };
      const cache = { cachedInputTokens: 4, cacheWriteTokens: 6 };
      const used: Part = { type: "usage", inputTokens: 12, outputTokens: 34, ...cache };
      const { bill, answer, idempotentRun, record } = await answered(
        [text("Hello world"), used],
        {},
        plainCandidate("acme/plain", 210n, { price }),
      );
      // 2 + 0.4 + 7.5 + 68, rounded up once.
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ ...cache, cost: 78n });
      expect(record()).toMatchObject({ ...cache, cost: 78n });
    });

    it.each([
      ["the provider's, when it is plausible", [SPEECH, seconds(3)], 3_000, "provider"],
      ["measured, when the file can be", [WAV], 500, "measured"],
      ["measured, when the provider's is implausible", [WAV, seconds(20)], 500, "measured"],
      ["estimated otherwise", [SPEECH, seconds(1_000)], 2_000, "estimated"],
    ])("is charged for audio by the second: %s", async (_whose, parts, audioMs, source) => {
      const price = { ...PLAIN_PRICE, inputPerMillion: 0n, perSecond: 1_000n };
      const voice = plainCandidate(
        "acme/voice",
        16_000n,
        { type: "audio", price },
        { spokenMs: 2_000, maxSpokenMs: 16_000 },
      );
      const { bill, answer, idempotentRun, record } = await answered(parts, { balance: 20_000n }, voice);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: BigInt(audioMs) });
      expect(record()).toMatchObject({ audioMs, detail: { audio_source: source } });
    });

    it("is charged by the quoted price, not by the model's later price", async () => {
      const stage = await openBill();
      const quoted = plainCandidate();
      await stage.bill.holdForFirstAffordable([quoted]);
      const dearer = { ...PLAIN_PRICE, version: "2", outputPerMillion: 9_000_000n };
      stage.bill.startSegment({ ...quoted, model: { ...quoted.model, price: dearer } });
      stage.bill.meter(text("one two three"));
      expect(await stage.bill.settle(stage.answer, stage.idempotentRun)).toMatchObject({ cost: 16n });
      expect(stage.record()).toMatchObject({ priceVersion: "1" });
    });

    it("is charged for everything that a well-known provider counts, as the provider bills it", async () => {
      const found = plainCandidate("acme/found", 210n, { mayDialPrivate: false, discovered: true });
      const { bill, answer, idempotentRun } = await answered([text("Hello world"), usage(5_000, 900)], {}, found);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({
        inputTokens: 5_000,
        outputTokens: 900,
        cost: 6_800n,
      });
    });

    it.each([
      ["the operator has registered", true, 3_000],
      ["a customer has registered", false, 2],
    ])("is charged for hidden reasoning when its model is one that %s", async (_who, mayDialPrivate, outputTokens) => {
      const model = { capabilities: ["reasoning"], mayDialPrivate, maxOutputTokens: 3_000 };
      const candidate = plainCandidate("acme/thinker", 6_010n, model);
      const { bill, answer, idempotentRun } = await answered([text("Hello world"), usage(10, 3_000)], {}, candidate);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ outputTokens });
    });

    it("is not empty when it names the stop sequence that ended it", async () => {
      const finish = { type: "finish", reason: "stop", stopSequence: "yes" } as const;
      const { bill, answer, idempotentRun } = await answered([usage(10, 1), finish]);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ inputTokens: 10, outputTokens: 1, cost: 12n });
    });

    it.each([
      ["nothing at all", []],
      ["empty texts", [text(""), text("")]],
      ["a count but no output", [usage(10, 10)]],
      ["a finish", [{ type: "finish", reason: "stop" } as const]],
    ])("costs nothing when it is empty: %s", async (_what, parts) => {
      const { bill, answer, idempotentRun, record, spendable } = await answered(parts);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ inputTokens: 0, outputTokens: 0, cost: 0n });
      expect(record()).toMatchObject({ cost: 0n, usageSource: "none", status: 200 });
      expect(await spendable()).toBe(10_000n);
    });

    it("is charged for all output, even when moderation withheld some", async () => {
      const stage = await openBill();
      await stage.choose(plainCandidate());
      stage.bill.meter(text("one two three four"));
      stage.answer.add(text("one two"));
      expect(await stage.bill.settle(stage.answer, stage.idempotentRun)).toMatchObject({ outputTokens: 4 });
    });

    it("is not charged for text beyond the requested maximum", async () => {
      const { bill, answer, idempotentRun } = await answered([text("word ".repeat(500))]);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ outputTokens: 100, cost: 210n });
    });

    it("is stored under its idempotency key for repeated requests", async () => {
      const { bill, answer, idempotentRun, record } = await answered([text("Hello")], { idempotencyKey: "key-1" });
      await bill.settle(answer, idempotentRun);
      expect(record()?.idempotent).toMatchObject({
        key: "key-1",
        answer: { parts: [text("Hello")], receipt: { cost: "12" } },
      });
    });

    it("is settled once: a second time throws and changes nothing", async () => {
      const { bill, answer, idempotentRun, ledger, spendable } = await answered([text("one two three"), usage(10, 3)]);
      await bill.settle(answer, idempotentRun);
      await expect(bill.settle(answer, idempotentRun)).rejects.toThrow();
      await expect(bill.settleDisconnect(answer, idempotentRun)).rejects.toThrow();
      await expect(bill.settleFault(new Fault("internal", "?"), answer, idempotentRun)).rejects.toThrow();
      expect(ledger.charged).toBe(16n);
      expect(await spendable()).toBe(9_984n);
    });
  });

  describe("a cost above the hold", () => {
    // Provider and quote may count the input differently.
    const dear = [text("Hello"), usage(200, 100)];

    it("raises the hold when the money suffices", async () => {
      const { bill, answer, idempotentRun, record, spendable } = await answered(dear);
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: 400n });
      expect(record()).toMatchObject({ held: 400n, cost: 400n });
      expect(await spendable()).toBe(9_600n);
    });

    it("is capped at the hold when the balance does not suffice", async () => {
      const { bill, answer, idempotentRun, spendable } = await answered(dear, { balance: 300n });
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: 210n });
      expect(await spendable()).toBe(90n);
    });

    it("is capped at the hold when the key's budget does not suffice", async () => {
      const { bill, answer, idempotentRun } = await answered(dear, {
        caller: { budget: { limit: 250n, period: "day" } },
      });
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: 210n });
    });

    it("is capped at the hold when the ledger can't be called", async () => {
      let leases = 0;
      const { bill, answer, idempotentRun, accountFunds, caller, record } = await answered(dear, {
        balance: 300n,
        passage: (method) => {
          if (method === "extend" && ++leases > 2) throw new Fault("unavailable", "away");
        },
      });
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: 210n });
      expect(record()).toMatchObject({ cost: 210n });
      expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
    });
  });

  describe("setting money aside", () => {
    it("is refused with what is missing and how to fix it", async () => {
      const poor = await openBill({ balance: 209n });
      await expect(poor.bill.holdForFirstAffordable([plainCandidate()])).rejects.toMatchObject({
        type: "insufficient_balance",
        status: 402,
        message: expect.stringMatching(/credits.*max_tokens/),
      });
      const tight = await openBill({ caller: { budget: { limit: 209n, period: "day" } } });
      await expect(tight.bill.holdForFirstAffordable([plainCandidate()])).rejects.toMatchObject({
        type: "budget_exceeded",
        status: 402,
      });
      for (const { accountFunds, caller } of [poor, tight]) expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
    });

    it("covers a more expensive candidate by raising the hold, and returns false when the money does not suffice", async () => {
      const { bill, accountFunds, caller } = await openBill({ balance: 500n });
      await bill.holdForFirstAffordable([plainCandidate()]);
      expect(await bill.raiseHoldFor(plainCandidate("acme/dearer", 400n))).toBe(true);
      expect(accountFunds.heldOf(caller.accountId)).toBe(400n);
      expect(await bill.raiseHoldFor(plainCandidate("acme/too-dear", 501n))).toBe(false);
      expect(await bill.raiseHoldFor(plainCandidate("acme/cheaper", 100n))).toBe(true);
      expect(accountFunds.heldOf(caller.accountId)).toBe(400n);
    });

    it("takes nothing for a free model, even from an empty account", async () => {
      const { bill, answer, idempotentRun } = await openBill({ balance: 0n });
      const free = { ...PLAIN_PRICE, inputPerMillion: 0n, outputPerMillion: 0n };
      const candidate = plainCandidate("builtin/guide", 0n, { price: free });
      await bill.holdForFirstAffordable([candidate]);
      bill.startSegment(candidate);
      bill.meter(text("Hello"));
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: 0n });
    });
  });
});

describe("Bill with several segments", () => {
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

  /** Three words of the first model and two of the second, which reports more. */
  async function twoLegs(balance = 10_000n) {
    const stage = await openBill({ balance });
    await stage.choose(FIRST);
    for (const part of [text("one two three "), usage(10, 50)]) stage.bill.meter(part);
    await stage.bill.raiseHoldFor(DEARER);
    stage.requestTrace.chosen = DEARER;
    stage.bill.startSegment(DEARER);
    for (const part of [text("four five"), usage(12, 6)]) stage.bill.meter(part);
    return stage;
  }

  describe("an answer of two segments", () => {
    it("costs the delivered text of the first by our own count, and of the last by its provider's", async () => {
      const { bill, answer, idempotentRun, record } = await twoLegs();
      const first = {
        model: { provider: "acme", name: "first" },
        inputTokens: 10,
        outputTokens: 3,
        cost: 16n,
      };
      const second = {
        model: { provider: "other", name: "second" },
        inputTokens: 12,
        outputTokens: 6,
        cost: 240n,
      };
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({
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

    it("holds the next worst case plus the cost of the first, or returns false when the money does not suffice", async () => {
      const enough = await twoLegs(2_116n);
      expect(enough.accountFunds.heldOf(enough.caller.accountId)).toBe(2_116n);
      const short = await openBill({ balance: 2_115n });
      await short.choose(FIRST);
      short.bill.meter(text("one two three "));
      expect(await short.bill.raiseHoldFor(DEARER)).toBe(false);
      await short.bill.settleDisconnect(short.answer, short.idempotentRun);
    });

    it.each([
      ["nothing", "", 0n, 0],
      ["one word of the first", "one", 12n, 0],
      ["all of the first", "one two three ", 16n, 0],
      ["a word of the second", "one two three four", 136n, 2],
      ["everything", "one two three four five", 156n, 2],
    ])("costs on a disconnect what was delivered of each: %s", async (_what, given, cost, legs) => {
      const { bill, answer, idempotentRun, record } = await twoLegs();
      answer.add(text(given));
      await bill.settleDisconnect(answer, idempotentRun);
      expect(record()).toMatchObject({ cost });
      expect(record()?.legs).toHaveLength(legs);
    });

    it("is named and priced by the first when nothing of the second was delivered", async () => {
      const { bill, answer, idempotentRun, record } = await twoLegs();
      answer.add(text("one"));
      expect(await bill.settleFault(BROKEN, answer, idempotentRun)).toMatchObject({ details: { cost: 1.2e-8 } });
      expect(record()).toMatchObject({ model: "first", priceVersion: "1", status: 502, cost: 12n });
    });

    it("is charged in full when moderation refuses it, as its providers did the work", async () => {
      const { bill, answer, idempotentRun, record } = await twoLegs();
      await bill.settleFault(new Fault("unsafe_output", "No."), answer, idempotentRun);
      expect(record()).toMatchObject({ cost: 256n, legs: [{ outcome: "cut-off" }, { outcome: "refused" }] });
    });

    it("is capped at the hold, the last segment first", async () => {
      const { bill, answer, idempotentRun, record } = await twoLegs(2_115n);
      for (let i = 0; i < 3; i++) bill.meter(text("word ".repeat(100)));
      bill.meter(usage(1_000, 100));
      await bill.settle(answer, idempotentRun);
      expect(record()).toMatchObject({ held: 210n, cost: 210n, legs: [{ cost: 16n }, { cost: 194n }] });
    });

    it("stores its segments for repeated requests under the same idempotency key", async () => {
      const stage = await openBill({ idempotencyKey: "key-1" });
      await stage.choose(FIRST);
      stage.bill.meter(text("one two three "));
      stage.bill.startSegment(FIRST);
      stage.bill.meter(text("four"));
      const receipt = await stage.bill.settle(stage.answer, stage.idempotentRun);
      expect(receipt.legs?.map(({ cost }) => cost)).toEqual([16n, 12n]);
      expect(stage.record()?.idempotent).toMatchObject({
        answer: { receipt: { cost: "28", legs: [{ cost: "16" }, { cost: "12" }] } },
      });
    });
  });

  describe("a segment without output", () => {
    it("is not counted, and the answer has one segment", async () => {
      const { bill, answer, idempotentRun, record, choose } = await openBill();
      await choose(FIRST);
      bill.startSegment(DEARER);
      bill.meter(text("one"));
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ legs: undefined });
      expect(record()).toMatchObject({ model: "second", priceVersion: "2", legs: [] });
    });
  });

  describe("an answer that failed its check", () => {
    it("is charged by its provider's count, whatever becomes of the request", async () => {
      const { bill, answer, idempotentRun, record, choose } = await openBill();
      await choose(FIRST);
      for (const part of [text("one"), usage(10, 5)]) bill.meter(part);
      bill.failCheck();
      expect(bill.costSoFar).toBe(20n);
      bill.startSegment(DEARER);
      bill.meter(text("two"));
      await bill.settleDisconnect(answer, idempotentRun);
      expect(record()).toMatchObject({ model: "first", cost: 20n, usageSource: "provider", status: 200 });
    });

    it("has no share in the delivered text of the next", async () => {
      const { bill, answer, idempotentRun, record, choose } = await openBill();
      await choose(FIRST);
      for (const part of [text("one two three"), usage(10, 5)]) bill.meter(part);
      bill.failCheck();
      bill.startSegment(DEARER);
      bill.meter(text("four five"));
      answer.add(text("four"));
      await bill.settleDisconnect(answer, idempotentRun);
      expect(record()?.legs).toMatchObject([
        { outcome: "failed-check", outputTokens: 5, cost: 20n },
        { outcome: "cut-off", outputTokens: 1, cost: 120n },
      ]);
    });

    it("that broke off before it was complete costs nothing", async () => {
      const { bill, answer, idempotentRun, record, choose } = await openBill();
      await choose(FIRST);
      bill.meter(text("one two three"));
      bill.dropSegment();
      bill.startSegment(DEARER);
      bill.meter(text("four five"));
      expect(await bill.settle(answer, idempotentRun)).toMatchObject({ cost: 140n });
      expect(record()).toMatchObject({ legs: [] });
    });
  });
});

describe("Bill over any sequence of events", () => {
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.lorem({ maxCount: 60 }) }),
    fc.record({
      type: fc.constant("usage" as const),
      inputTokens: fc.nat(2_000),
      outputTokens: fc.nat(2_000),
      cachedInputTokens: fc.nat(2_000),
      cacheWriteTokens: fc.nat(2_000),
      seconds: fc.nat(30),
    }),
    fc.constant<Part>({ type: "media", kind: "audio", url: makeWav(), source: {} }),
    fc.constant<Part>({ type: "media", kind: "image", url: "https://example.test/i.png", source: {} }),
    fc.constant<Part>({ type: "tool-call", id: "1", name: "look", arguments: "{}" }),
    fc.constant<Part>({ type: "finish", reason: "stop" }),
  );
  const ending = fc.constantFrom("settle", "hang-up", "provider_error", "unsafe_output", "internal");

  describe("any request", () => {
    it("is settled once, costs no more than its hold, and leaves nothing held", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(part, { maxLength: 8 }),
          fc.nat(8),
          ending,
          fc.bigInt({ min: 210n, max: 6_000n }),
          fc.option(fc.bigInt({ min: 210n, max: 6_000n }), { nil: undefined }),
          async (parts, givenCount, how, balance, limit) => {
            const budget = limit === undefined ? undefined : ({ limit, period: "day" } as const);
            const { bill, answer, idempotentRun, choose, caller, accountFunds, ledger, record } = await openBill({
              balance,
              caller: { budget },
            });
            const price = {
              ...PLAIN_PRICE,
              cachedInputPerMillion: 3_000_000n,
              cacheWritePerMillion: 4_000_000n,
              perSecond: 10n,
            };
            const audio = { spokenMs: 1_000, maxSpokenMs: 13_000 };
            await choose(plainCandidate("acme/plain", 210n, { price }, audio));
            for (const part of parts) bill.meter(part);
            for (const given of parts.slice(0, givenCount)) answer.add(given);

            if (how === "settle") expect((await bill.settle(answer, idempotentRun)).cost).toBe(ledger.charged);
            else if (how === "hang-up") await bill.settleDisconnect(answer, idempotentRun);
            else await bill.settleFault(new Fault(how as FaultType, "It ended."), answer, idempotentRun);

            const settled = record();
            expect(settled?.cost).toBeLessThanOrEqual(settled?.held ?? -1n);
            expect(settled?.held).toBeLessThanOrEqual(limit === undefined || balance < limit ? balance : limit);
            expect(ledger.batches).toHaveLength(1);
            expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
            expect(await accountFunds.spendable(caller, new ManualClock().now(), 1_000_000n, 1_000_000n)).toEqual({
              balance: balance - ledger.charged,
              budget: limit === undefined ? undefined : limit - ledger.charged,
            });
          },
        ),
        { numRuns: 150 },
      );
    });
  });
});
