import { Fault } from "@trunkline/core/fault.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { MemoryRuns } from "../../../test/support/memory-runs.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { IdempotentRun, ReplayedFault } from "./idempotent-run.ts";

const CALLER = sampleCaller();
const BODY = '{"input":"hello"}';
const RECEIPT: Receipt = {
  type: "receipt",
  model: { provider: "acme", name: "x" },
  inputTokens: 3,
  outputTokens: 5,
  cachedInputTokens: 1,
  cacheWriteTokens: 1,
  reasoningTokens: 2,
  cost: 12_345_678_901_234_567_890n,
  latencyMs: 7.25,
};
const PARTS: Part[] = [
  { type: "text", text: "Hello " },
  {
    type: "media",
    kind: "image",
    url: "https://example.test/i.png",
    source: { image_url: "https://example.test/i.png", seed: 5 },
  },
  { type: "usage", inputTokens: 3, outputTokens: 5 },
  { type: "finish", reason: "stop" },
];

const traceOf = (requestId: string, path = "/v1/generate") => new RequestTrace(requestId, path, new ManualClock());

/** Runs to its end and returns what the bill would store. */
async function finish(
  store: MemoryRuns,
  requestId: string,
  end: (idempotentRun: IdempotentRun) => ReturnType<IdempotentRun["answeredWith"]>,
) {
  const idempotentRun = await IdempotentRun.begin(store, "key-1", CALLER, traceOf(requestId), BODY);
  store.keep(sampleSettlement({ requestId, idempotent: end(idempotentRun) }));
}

describe("a request without an idempotency key", () => {
  it("runs, stores nothing and frees nothing", async () => {
    const store = new MemoryRuns();
    const idempotentRun = await IdempotentRun.begin(store, undefined, CALLER, traceOf("r1"), BODY);
    expect(idempotentRun.stored).toBeUndefined();
    expect(idempotentRun.storesAnswer).toBe(false);
    expect(idempotentRun.answeredWith(PARTS, RECEIPT, undefined)).toBeUndefined();
    expect(idempotentRun.failedWith(new Fault("provider_error", "It broke."))).toBeUndefined();
    await idempotentRun.abandon();
  });
});

describe("a request with an idempotency key", () => {
  it("gets the first answer's request id and model", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(PARTS, RECEIPT, undefined));
    const requestTrace = traceOf("r2");
    await IdempotentRun.begin(store, "key-1", CALLER, requestTrace, BODY);
    expect(requestTrace.replayOf).toEqual({ requestId: "r1", model: RECEIPT.model });
  });

  it("runs the first time", async () => {
    const requestTrace = traceOf("r1");
    const idempotentRun = await IdempotentRun.begin(new MemoryRuns(), "key-1", CALLER, requestTrace, BODY);
    expect(idempotentRun.stored).toBeUndefined();
    expect(requestTrace.replayed).toBe(false);
  });

  it("is refused as in progress while the first still runs", async () => {
    const store = new MemoryRuns();
    await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r1"), BODY);
    await expect(IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), BODY)).rejects.toMatchObject({
      type: "idempotency_in_progress",
      status: 409,
      details: { retryAfterSeconds: 1 },
    });
  });

  it("is refused with another body, whether the first still runs or not", async () => {
    const store = new MemoryRuns();
    await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r1"), BODY);
    const other = () => IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), `${BODY} `);
    await expect(other()).rejects.toMatchObject({ type: "idempotency_mismatch", status: 422 });
    store.keep(sampleSettlement({ requestId: "r1", idempotent: { key: "key-1", answer: { parts: [], receipt: {} } } }));
    await expect(other()).rejects.toMatchObject({ type: "idempotency_mismatch" });
  });

  it("gets the first answer again, part by part and to the last nano-credit", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(PARTS, RECEIPT, undefined));
    const requestTrace = traceOf("r2");
    const again = await IdempotentRun.begin(store, "key-1", CALLER, requestTrace, BODY);
    expect(again.stored).toEqual({ parts: PARTS, end: { receipt: RECEIPT }, sealed: undefined });
    expect(requestTrace.replayed).toBe(true);
  });

  it("gets the sealed values back", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(PARTS, RECEIPT, "a box"));
    const again = await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), BODY);
    expect(again.stored?.sealed).toBe("a box");
  });

  it("gets the first fault again, with the first request's id", async () => {
    const store = new MemoryRuns();
    const fault = new Fault("provider_error", "It broke.", {
      attempts: [{ model: "acme/x", reason: "down", ms: 5 }],
      cost: 0.25,
    });
    await finish(store, "r1", (idempotentRun) => idempotentRun.failedWith(fault));
    const again = Promise.resolve(IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), BODY));
    const error = await again.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReplayedFault);
    expect(error).toMatchObject({
      type: "provider_error",
      status: 502,
      message: "It broke.",
      details: fault.details,
      requestId: "r1",
    });
  });

  it("gets what a stream gave before it broke off, and then its fault, but not by a key that may not use the model", async () => {
    const store = new MemoryRuns();
    const begun = { parts: PARTS, models: [RECEIPT.model], sealed: "a box" };
    const fault = new Fault("provider_error", "It broke.");
    await finish(store, "r1", (idempotentRun) => idempotentRun.failedWith(fault, begun));
    const requestTrace = traceOf("r2");
    const again = await IdempotentRun.begin(store, "key-1", CALLER, requestTrace, BODY);
    const end = { fault: expect.objectContaining({ type: "provider_error", requestId: "r1" }) };
    expect(again.stored).toEqual({ parts: PARTS, end, sealed: "a box" });
    expect(requestTrace.replayOf).toEqual({ requestId: "r1", model: RECEIPT.model });
    const other = { ...CALLER, models: new Set(["another"]) };
    await expect(IdempotentRun.begin(store, "key-1", other, traceOf("r3"), BODY)).rejects.toMatchObject({
      type: "insufficient_scope",
    });
  });

  it("stores nothing of an answer that it only repeats", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(PARTS, RECEIPT, undefined));
    const again = await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), BODY);
    expect(again.answeredWith(PARTS, RECEIPT, undefined)).toBeUndefined();
    await again.abandon();
    const third = await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r3"), BODY);
    expect(third.stored?.parts).toEqual(PARTS);
  });

  it("may run again, even with another body, after the first was abandoned", async () => {
    const store = new MemoryRuns();
    const first = await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r1"), BODY);
    await first.abandon();
    const second = await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), "another body");
    expect(second.stored).toBeUndefined();
  });

  it("is specific to its account and path", async () => {
    const store = new MemoryRuns();
    await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r1"), BODY);
    await IdempotentRun.begin(store, "key-1", { ...CALLER, accountId: "other" }, traceOf("r2"), BODY);
    await IdempotentRun.begin(store, "key-1", CALLER, traceOf("r3", "/v1/image"), BODY);
    await IdempotentRun.begin(store, "key-2", CALLER, traceOf("r4"), BODY);
    await expect(
      IdempotentRun.begin(store, "key-1", { ...CALLER, keyId: "sister" }, traceOf("r5"), BODY),
    ).rejects.toMatchObject({ status: 409 });
  });

  it("throws a clear error when the stored run can't be read", async () => {
    const store = new MemoryRuns();
    const fault = { type: "no_such_type", message: "?", details: {}, requestId: "r1" };
    await finish(store, "r1", () => ({ key: "key-1", answer: { fault } }));
    const again = IdempotentRun.begin(store, "key-1", CALLER, traceOf("r2"), BODY);
    await expect(again).rejects.toThrow("no_such_type");
  });
});
