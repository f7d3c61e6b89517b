import { Fault } from "@trunkline/core/fault.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { describe, expect, it } from "vitest";
import { type BillSite, openBill, PLAIN_PRICE, plainCandidate } from "../../../test/support/open-bill.ts";
import type { IdempotentRun } from "./idempotent-run.ts";

const text = (words: string): Part => ({ type: "text", text: words });
const usage = (inputTokens: unknown, outputTokens: unknown): Part => ({
  type: "usage",
  inputTokens,
  outputTokens,
});
const PICTURE: Part = { type: "media", kind: "image", url: "https://example.test/i.png", source: {} };
const SPEECH: Part = { type: "media", kind: "audio", url: "https://example.test/a.wav", source: {} };
const TOOL_CALL: Part = { type: "tool-call", id: "1", name: "look", arguments: "one two three" };
const BROKEN = new Fault("provider_error", "The answer broke off.", {
  attempts: [{ model: "acme/plain", reason: "down", ms: 5 }],
});

/** A chosen candidate that produced some parts, of which the client received some. */
async function halfway(
  produced: readonly Part[],
  given: readonly Part[],
  site: BillSite = {},
  candidate = plainCandidate(),
) {
  const stage = await openBill(site);
  await stage.choose(candidate);
  for (const part of produced) stage.bill.meter(part);
  for (const part of given) stage.answer.add(part);
  return stage;
}

/** A run whose key can't be freed, since the store is unavailable. */
function failingRun(idempotentRun: IdempotentRun): IdempotentRun {
  return Object.assign(Object.create(idempotentRun) as IdempotentRun, {
    abandon: () => Promise.reject(new Fault("unavailable", "away")),
  });
}

describe("a client that disconnects", () => {
  it("pays for the text that it received, by our own count", async () => {
    const produced = [text("one two three four five"), usage(10, 90)];
    const { bill, answer, idempotentRun, record, spendable } = await halfway(produced, [text("one two")]);
    await bill.settleDisconnect(answer, idempotentRun);
    expect(record()).toMatchObject({
      status: 200,
      cost: 14n,
      outputTokens: 2,
      usageSource: "own",
      detail: { client_hung_up: true },
    });
    expect(await spendable()).toBe(9_986n);
  });

  it("pays nothing when it received nothing", async () => {
    const { bill, answer, idempotentRun, record, spendable } = await halfway([text("one two three")], []);
    await bill.settleDisconnect(answer, idempotentRun);
    expect(record()).toMatchObject({ status: 499, cost: 0n, usageSource: "none" });
    expect(await spendable()).toBe(10_000n);
  });

  it("pays nothing before a model was chosen", async () => {
    const { bill, answer, idempotentRun, record } = await openBill();
    await bill.holdForFirstAffordable([plainCandidate()]);
    await bill.settleDisconnect(answer, idempotentRun);
    expect(record()).toMatchObject({ status: 499, cost: 0n, model: undefined });
  });

  it.each([
    ["picture", PICTURE, plainCandidate("acme/painter", 2_000n, { type: "image" }), 1_010n],
    [
      "speech",
      SPEECH,
      plainCandidate("acme/voice", 2_000n, {
        type: "audio",
        price: { ...PLAIN_PRICE, perRequest: 500n },
      }),
      510n,
    ],
    ["tool call", TOOL_CALL, plainCandidate(), 16n],
  ])("pays for the %s that it received", async (_what, part, candidate, cost) => {
    const { bill, answer, idempotentRun, record } = await halfway([part], [part], {}, candidate);
    await bill.settleDisconnect(answer, idempotentRun);
    expect(record()).toMatchObject({ status: 200, cost });
  });

  it("finds its idempotency key free for a new run", async () => {
    const { bill, answer, idempotentRun, runs, record, caller, requestTrace } = await halfway(
      [text("one")],
      [text("one")],
      {
        idempotencyKey: "key-1",
      },
    );
    await bill.settleDisconnect(answer, idempotentRun);
    expect(record()?.idempotent).toBeUndefined();
    const claim = {
      accountId: caller.accountId,
      path: requestTrace.path,
      key: "key-1",
      fingerprint: Buffer.alloc(32),
      requestId: "r2",
    };
    expect(await runs.claim(claim)).toEqual({ kind: "mine" });
  });

  it("leaves no hold behind, even when its key can't be freed", async () => {
    const { bill, answer, idempotentRun, accountFunds, caller } = await halfway([text("one")], [text("one")], {
      idempotencyKey: "key-1",
    });
    await bill.settleDisconnect(answer, failingRun(idempotentRun)).catch(() => undefined);
    expect(bill.isSettled).toBe(true);
    expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
  });
});

describe("an answer that fails", () => {
  it("costs nothing before any output, and the fault is unchanged", async () => {
    const { bill, answer, idempotentRun, record, spendable } = await halfway([], []);
    expect(await bill.settleFault(BROKEN, answer, idempotentRun)).toBe(BROKEN);
    expect(record()).toMatchObject({
      status: 502,
      errorType: "provider_error",
      cost: 0n,
      detail: { error: BROKEN.message },
    });
    expect(await spendable()).toBe(10_000n);
  });

  it("costs nothing when some output was produced but none delivered", async () => {
    const { bill, answer, idempotentRun, record } = await halfway([text("one two three")], []);
    await bill.settleFault(BROKEN, answer, idempotentRun);
    expect(record()).toMatchObject({ cost: 0n });
  });

  it("costs what the client received, and the fault names the cost", async () => {
    const { bill, answer, idempotentRun, record } = await halfway(
      [text("one two three"), usage(10, 90)],
      [text("one two")],
    );
    const fault = await bill.settleFault(BROKEN, answer, idempotentRun);
    expect(fault).toMatchObject({
      type: "provider_error",
      message: BROKEN.message,
      details: { ...BROKEN.details, cost: 1.4e-8 },
    });
    expect(record()).toMatchObject({ status: 502, cost: 14n });
  });

  it("costs the image that the client received", async () => {
    const painter = plainCandidate("acme/painter", 2_000n, { type: "image" });
    const { bill, answer, idempotentRun, record } = await halfway([PICTURE], [PICTURE], {}, painter);
    await bill.settleFault(BROKEN, answer, idempotentRun);
    expect(record()).toMatchObject({ cost: 1_010n });
  });

  it("costs all of a refused output, as the provider did the work", async () => {
    const produced = [text("one two three four"), usage(10, 40)];
    const { bill, answer, idempotentRun, record } = await halfway(produced, [text("one")]);
    const fault = await bill.settleFault(
      new Fault("unsafe_output", "Not this.", { categories: ["hate"] }),
      answer,
      idempotentRun,
    );
    expect(fault.details).toEqual({ categories: ["hate"], cost: 9e-8 });
    expect(record()).toMatchObject({
      status: 403,
      errorType: "unsafe_output",
      cost: 90n,
      usageSource: "provider",
    });
  });

  it("is stored under its idempotency key with its cost, for repeated requests", async () => {
    const { bill, answer, idempotentRun, record } = await halfway([text("one")], [text("one")], {
      idempotencyKey: "key-1",
    });
    const fault = await bill.settleFault(BROKEN, answer, idempotentRun);
    expect(record()?.idempotent).toMatchObject({
      key: "key-1",
      answer: { fault: { type: "provider_error", details: fault.details } },
    });
  });
});

describe("a ledger that can't be written", () => {
  const refusing: BillSite = {
    passage: (method, when) => {
      if (method === "write" && when === "asking") throw new Error("no");
    },
  };

  it.each<[string, (stage: Awaited<ReturnType<typeof halfway>>) => Promise<unknown>]>([
    ["an answer", ({ bill, answer, idempotentRun }) => bill.settle(answer, idempotentRun)],
    ["a hang-up", ({ bill, answer, idempotentRun }) => bill.settleDisconnect(answer, idempotentRun)],
    ["a fault", ({ bill, answer, idempotentRun }) => bill.settleFault(BROKEN, answer, idempotentRun)],
  ])("fails %s, and frees everything that was held", async (_what, end) => {
    const stage = await halfway([text("one two")], [text("one two")], refusing);
    await expect(end(stage)).rejects.toThrow("no");
    expect(stage.bill.isSettled).toBe(true);
    expect(stage.accountFunds.heldOf(stage.caller.accountId)).toBe(0n);
    expect(await stage.spendable()).toBe(10_000n);
  });

  /** The store writes the first time, and its answer is lost until `mend`. */
  function silentStore() {
    let isSilent = true;
    const passage: NonNullable<BillSite["passage"]> = (method, when) => {
      if (isSilent && method === "write" && when === "answering")
        throw new Fault("unavailable", "The answer was lost.");
    };
    return {
      passage,
      mend: () => {
        isSilent = false;
      },
    };
  }

  it("but was written after all gives the charge of an answer that nobody got back, and says so", async () => {
    const { passage, mend } = silentStore();
    const stage = await halfway([text("one two")], [text("one two")], { passage });
    const settling = stage.bill.settle(stage.answer, stage.idempotentRun);
    await expect(settling).rejects.toThrow("It costs nothing: send it again.");
    expect(stage.ledger.charged).toBe(14n);
    // Until the outcome is known, the money is not free for others.
    expect(stage.accountFunds.heldOf(stage.caller.accountId)).toBe(210n);
    mend();
    await stage.settlementWriter.idle();
    expect([...stage.ledger.givenBack.values()]).toEqual([14n]);
    await expect.poll(() => stage.accountFunds.heldOf(stage.caller.accountId)).toBe(0n);
    expect(await stage.spendable()).toBe(10_000n);
  });

  it("but was written after all keeps an answer under its idempotency key, charged once", async () => {
    const { passage, mend } = silentStore();
    const stage = await halfway([text("one two")], [text("one two")], { passage, idempotencyKey: "k" });
    await expect(stage.bill.settle(stage.answer, stage.idempotentRun)).rejects.toThrow("Its answer is kept");
    mend();
    await stage.settlementWriter.idle();
    expect(stage.record()).toMatchObject({ cost: 14n, status: 200, idempotent: { key: "k" } });
    expect(stage.ledger.givenBack.size).toBe(0);
    await expect.poll(() => stage.accountFunds.heldOf(stage.caller.accountId)).toBe(0n);
    expect(await stage.spendable()).toBe(9_986n);
  });

  it("and was not written is recorded without a charge once the store is back", async () => {
    let isAway = true;
    const stage = await halfway([text("one two")], [text("one two")], {
      passage: (method) => {
        if (isAway && method === "write") throw new Fault("unavailable", "away");
      },
    });
    await expect(stage.bill.settle(stage.answer, stage.idempotentRun)).rejects.toThrow("It costs nothing");
    await stage.settlementWriter.idle();
    expect(stage.settlementWriter.openCount).toBe(1);
    isAway = false;
    await stage.settlementWriter.idle();
    expect(stage.record()).toMatchObject({ cost: 0n, status: 503, errorType: "unavailable" });
    await expect.poll(() => stage.accountFunds.heldOf(stage.caller.accountId)).toBe(0n);
    expect(await stage.spendable()).toBe(10_000n);
  });
});

describe("a client that leaves a whole answer", () => {
  it("pays for an answer that has arrived", async () => {
    const stage = await halfway([text("one two")], []);
    await stage.bill.settleDisconnect(stage.answer, stage.idempotentRun, true);
    expect(stage.record()).toMatchObject({ cost: 14n, detail: { client_hung_up: true } });
  });
});
