import type { Part } from "@trunkline/core/answer.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { Journal } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { MemoryRuns } from "../../../test/support/memory-runs.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { ReplayedFault, Run } from "./idempotent-run.ts";

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

const journalOf = (requestId: string, path = "/v1/generate") => new Journal(requestId, path, new HeldClock());

async function collect(parts: AsyncIterable<Part | Receipt> | undefined) {
  const heard: (Part | Receipt)[] = [];
  for await (const part of parts ?? []) heard.push(part);
  return heard;
}

/** Runs to its end: what the bill would hand to the ledger is kept. */
async function finish(
  store: MemoryRuns,
  requestId: string,
  end: (run: Run) => ReturnType<Run["answeredWith"]>,
) {
  const run = await Run.begin(store, "key-1", CALLER, journalOf(requestId), BODY);
  for (const part of PARTS) run.note(part);
  store.keep(sampleSettlement({ requestId, idempotent: end(run) }));
}

describe("a request without an idempotency key", () => {
  it("runs, keeps nothing and gives nothing back", async () => {
    const store = new MemoryRuns();
    const run = await Run.begin(store, undefined, CALLER, journalOf("r1"), BODY);
    run.note({ type: "text", text: "x" });
    expect(run.kept).toBeUndefined();
    expect(run.answeredWith(RECEIPT)).toBeUndefined();
    expect(run.failedWith(new Fault("provider_error", "It broke."))).toBeUndefined();
    await run.abandon();
  });
});

describe("a request with an idempotency key", () => {
  it("is told of the first answer by the id that it had, and who gave it", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (run) => run.answeredWith(RECEIPT));
    const journal = journalOf("r2");
    const run = await Run.begin(store, "key-1", CALLER, journal, BODY);
    await collect(run.kept?.parts);
    expect(journal.original).toEqual({ requestId: "r1", model: RECEIPT.model });
  });

  it("runs the first time", async () => {
    const journal = journalOf("r1");
    const run = await Run.begin(new MemoryRuns(), "key-1", CALLER, journal, BODY);
    expect(run.kept).toBeUndefined();
    expect(journal.replayed).toBe(false);
  });

  it("is told to come back while the first still runs", async () => {
    const store = new MemoryRuns();
    await Run.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    await expect(Run.begin(store, "key-1", CALLER, journalOf("r2"), BODY)).rejects.toMatchObject({
      type: "idempotency_in_progress",
      status: 409,
      details: { retryAfterSeconds: 1 },
    });
  });

  it("is refused with another body, whether the first still runs or not", async () => {
    const store = new MemoryRuns();
    await Run.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    const other = () => Run.begin(store, "key-1", CALLER, journalOf("r2"), `${BODY} `);
    await expect(other()).rejects.toMatchObject({ type: "idempotency_mismatch", status: 422 });
    store.keep(
      sampleSettlement({ requestId: "r1", idempotent: { key: "key-1", answer: { parts: [], receipt: {} } } }),
    );
    await expect(other()).rejects.toMatchObject({ type: "idempotency_mismatch" });
  });

  it("is given the first answer again, part by part and to the last nano-credit", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (run) => run.answeredWith(RECEIPT));
    const journal = journalOf("r2");
    const again = await Run.begin(store, "key-1", CALLER, journal, BODY);
    expect(await collect(again.kept?.parts)).toEqual([...PARTS, RECEIPT]);
    expect(journal.replayed).toBe(true);
  });

  it("is given back what was sealed for the parts, which nobody has to seal where nothing is kept", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (run) => {
      run.noteSealed(() => "a box");
      return run.answeredWith(RECEIPT);
    });
    const again = await Run.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    expect(again.kept?.sealed).toBe("a box");
    const unkept = await Run.begin(store, undefined, CALLER, journalOf("r3"), BODY);
    unkept.noteSealed(() => expect.unreachable());
  });

  it("is given the first refusal again, with the first request's id", async () => {
    const store = new MemoryRuns();
    const fault = new Fault("provider_error", "It broke.", {
      attempts: [{ model: "acme/x", reason: "down", ms: 5 }],
      cost: 0.25,
    });
    await finish(store, "r1", (run) => run.failedWith(fault));
    const again = await Run.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    const error = await collect(again.kept?.parts).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReplayedFault);
    expect(error).toMatchObject({
      type: "provider_error",
      status: 502,
      message: "It broke.",
      details: fault.details,
      requestId: "r1",
    });
  });

  it("keeps nothing of an answer that it only repeats", async () => {
    const store = new MemoryRuns();
    await finish(store, "r1", (run) => run.answeredWith(RECEIPT));
    const again = await Run.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    expect(again.answeredWith(RECEIPT)).toBeUndefined();
    await again.abandon();
    const third = await Run.begin(store, "key-1", CALLER, journalOf("r3"), BODY);
    expect(await collect(third.kept?.parts)).toHaveLength(PARTS.length + 1);
  });

  it("may run anew, even with another body, after the first was abandoned", async () => {
    const store = new MemoryRuns();
    const first = await Run.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    await first.abandon();
    const second = await Run.begin(store, "key-1", CALLER, journalOf("r2"), "another body");
    expect(second.kept).toBeUndefined();
  });

  it("is one of its account and path: elsewhere the same key is another run", async () => {
    const store = new MemoryRuns();
    await Run.begin(store, "key-1", CALLER, journalOf("r1"), BODY);
    await Run.begin(store, "key-1", { ...CALLER, accountId: "other" }, journalOf("r2"), BODY);
    await Run.begin(store, "key-1", CALLER, journalOf("r3", "/v1/image"), BODY);
    await Run.begin(store, "key-2", CALLER, journalOf("r4"), BODY);
    await expect(
      Run.begin(store, "key-1", { ...CALLER, keyId: "sister" }, journalOf("r5"), BODY),
    ).rejects.toMatchObject({ status: 409 });
  });

  it("says plainly when what was kept can't be understood", async () => {
    const store = new MemoryRuns();
    const fault = { type: "no_such_type", message: "?", details: {}, requestId: "r1" };
    await finish(store, "r1", () => ({ key: "key-1", answer: { fault } }));
    const again = await Run.begin(store, "key-1", CALLER, journalOf("r2"), BODY);
    await expect(collect(again.kept?.parts)).rejects.toThrow("no_such_type");
  });
});
