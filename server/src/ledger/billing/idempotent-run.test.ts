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

const journalOf = (requestId: string, path = "/v1/generate") => new RequestTrace(requestId, path, new ManualClock());

async function collect(parts: AsyncIterable<Part | Receipt> | undefined) {
  const heard: (Part | Receipt)[] = [];
  for await (const part of parts ?? []) heard.push(part);
  return heard;
}

/** Runs to its end and returns what the bill would store. */
async function finish(
  store: MemoryRuns,
  requestId: string,
  end: (idempotentRun: IdempotentRun) => ReturnType<IdempotentRun["answeredWith"]>,
) {
  const idempotentRun = await IdempotentRun.begin(store, "key-1", CALLER, journalOf(requestId), BODY);
  for (const part of PARTS) idempotentRun.record(part);
  store.keep(sampleSettlement({ requestId, idempotent: end(idempotentRun) }));
}

describe("a request without an idempotency key", () => {
  it("runs, stores nothing and frees nothing", async () => {
    const store = new MemoryRuns();
    const idempotentRun = await IdempotentRun.begin(store, undefined, CALLER, journalOf("r1"), BODY);
    idempotentRun.record({ type: "text", text: "x" });
    expect(idempotentRun.stored).toBeUndefined();
    expect(idempotentRun.answeredWith(RECEIPT)).toBeUndefined();
    expect(idempotentRun.failedWith(new Fault("provider_error", "It broke."))).toBeUndefined();
    await idempotentRun.abandon();
  });
});

describe("a request with an idempotency key", () => {
  it("gets the first answer's request id and model", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(RECEIPT));
    const requestTrace = journalOf("r2");
    const idempotentRun = await IdempotentRun.begin(store, "key-1", CALLER, requestTrace, BODY);
    await collect(idempotentRun.stored?.parts);
    expect(requestTrace.replayOf).toEqual({ requestId: "r1", model: RECEIPT.model });
  });

  it("runs the first time", async () => {
    const requestTrace = journalOf("r1");
    const idempotentRun = await IdempotentRun.begin(new MemoryRuns(), "key-1", CALLER, requestTrace, BODY);
    expect(idempotentRun.stored).toBeUndefined();
    expect(requestTrace.replayed).toBe(false);
  });

  it("is refused as in progress while the first still runs", async () => {
    const store = new MemoryRuns();
    await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    await expect(IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), BODY)).rejects.toMatchObject({
      type: "idempotency_in_progress",
      status: 409,
      details: { retryAfterSeconds: 1 },
    });
  });

  it("is refused with another body, whether the first still runs or not", async () => {
    const store = new MemoryRuns();
    await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    const other = () => IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), `${BODY} `);
    await expect(other()).rejects.toMatchObject({ type: "idempotency_mismatch", status: 422 });
    store.keep(sampleSettlement({ requestId: "r1", idempotent: { key: "key-1", answer: { parts: [], receipt: {} } } }));
    await expect(other()).rejects.toMatchObject({ type: "idempotency_mismatch" });
  });

  it("gets the first answer again, part by part and to the last nano-credit", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(RECEIPT));
    const requestTrace = journalOf("r2");
    const again = await IdempotentRun.begin(store, "key-1", CALLER, requestTrace, BODY);
    expect(await collect(again.stored?.parts)).toEqual([...PARTS, RECEIPT]);
    expect(requestTrace.replayed).toBe(true);
  });

  it("gets the sealed values back, which are sealed only when the answer is stored", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => {
      idempotentRun.recordSealed(() => "a box");
      return idempotentRun.answeredWith(RECEIPT);
    });
    const again = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    expect(again.stored?.sealed).toBe("a box");
    const unkept = await IdempotentRun.begin(store, undefined, CALLER, journalOf("r3"), BODY);
    unkept.recordSealed(() => expect.unreachable());
  });

  it("gets the first fault again, with the first request's id", async () => {
    const store = new MemoryRuns();
    const fault = new Fault("provider_error", "It broke.", {
      attempts: [{ model: "acme/x", reason: "down", ms: 5 }],
      cost: 0.25,
    });
    await finish(store, "r1", (idempotentRun) => idempotentRun.failedWith(fault));
    const again = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    const error = await collect(again.stored?.parts).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReplayedFault);
    expect(error).toMatchObject({
      type: "provider_error",
      status: 502,
      message: "It broke.",
      details: fault.details,
      requestId: "r1",
    });
  });

  it("stores nothing of an answer that it only repeats", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (idempotentRun) => idempotentRun.answeredWith(RECEIPT));
    const again = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    expect(again.answeredWith(RECEIPT)).toBeUndefined();
    await again.abandon();
    const third = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r3"), BODY);
    expect(await collect(third.stored?.parts)).toHaveLength(PARTS.length + 1);
  });

  it("may run again, even with another body, after the first was abandoned", async () => {
    const store = new MemoryRuns();
    const first = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    await first.abandon();
    const second = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), "another body");
    expect(second.stored).toBeUndefined();
  });

  it("is specific to its account and path", async () => {
    const store = new MemoryRuns();
    await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    await IdempotentRun.begin(store, "key-1", { ...CALLER, accountId: "other" }, journalOf("r2"), BODY);
    await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r3", "/v1/image"), BODY);
    await IdempotentRun.begin(store, "key-2", CALLER, journalOf("r4"), BODY);
    await expect(
      IdempotentRun.begin(store, "key-1", { ...CALLER, keyId: "sister" }, journalOf("r5"), BODY),
    ).rejects.toMatchObject({ status: 409 });
  });

  it("throws a clear error when the stored run can't be read", async () => {
    const store = new MemoryRuns();
    const fault = { type: "no_such_type", message: "?", details: {}, requestId: "r1" };
    await finish(store, "r1", () => ({ key: "key-1", answer: { fault } }));
    const again = await IdempotentRun.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    await expect(collect(again.stored?.parts)).rejects.toThrow("no_such_type");
  });
});
