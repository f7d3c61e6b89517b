import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import type { SendResult } from "./batch-queue.ts";
import { JsonBatchWriter } from "./json-span-writer.ts";
import { SpanExporter, type SpanExporterOptions } from "./span-exporter.ts";
import { Tracer } from "./tracer.ts";

const tracer = new Tracer({ kind: "always_on", ratio: 1 });

function endedTrace(path: string): RequestTrace {
  const trace = new RequestTrace(newId(), path, new ManualClock());
  trace.context = tracer.start(trace.requestId);
  return trace;
}

function openExporter(more: Partial<SpanExporterOptions> = {}, answer: SendResult = { kind: "sent" }) {
  const batches: string[][] = [];
  const dropped: string[] = [];
  const failed: string[] = [];
  const exporter = new SpanExporter({
    writer: new JsonBatchWriter({}),
    send: async (body) => {
      const { spans } = JSON.parse(body.toString()).resourceSpans[0].scopeSpans[0];
      batches.push(spans.map(({ name }: { name: string }) => name));
      return answer;
    },
    withContent: false,
    delayMs: 60_000,
    batchRequestsMax: 2,
    batchSizeMax: 10_000,
    queueSizeMax: 100_000,
    onDropped: (reason) => void dropped.push(reason),
    onError: (_error, requestId) => void failed.push(requestId),
    ...more,
  });
  return { exporter, batches, dropped, failed };
}

describe("SpanExporter", () => {
  it("sends the spans of a full batch of requests at a time, and the rest when it stops", async () => {
    const { exporter, batches } = openExporter();
    for (const path of ["/1", "/2", "/3"]) exporter.add(endedTrace(path), 200, "GET");
    await expect.poll(() => batches).toEqual([["GET /1", "GET /2"]]);
    exporter.add(endedTrace("/4"), 200, "GET");
    exporter.add(endedTrace("/5"), 200, undefined);
    await exporter.stop(1_000);
    expect(batches).toEqual([["GET /1", "GET /2"], ["GET /3", "GET /4"], ["POST /5"]]);
    expect([exporter.sent, exporter.dropped]).toEqual([5, 0]);
  });

  it("sends a batch that is large enough, and one that has waited long enough", async () => {
    const large = openExporter({ batchSizeMax: 1 });
    large.exporter.add(endedTrace("/1"), 200, "GET");
    await expect.poll(() => large.batches).toEqual([["GET /1"]]);
    const late = openExporter({ delayMs: 1 });
    late.exporter.add(endedTrace("/2"), 200, "GET");
    await expect.poll(() => late.batches).toEqual([["GET /2"]]);
  });

  it("counts by request what is not taken", async () => {
    const { exporter, dropped } = openExporter({}, { kind: "rejected", reason: "no" });
    for (const path of ["/1", "/2", "/3"]) exporter.add(endedTrace(path), 200, "GET");
    await exporter.stop(1_000);
    expect(dropped).toEqual(["no", "no"]);
    expect([exporter.sent, exporter.dropped]).toEqual([0, 3]);
  });

  it("leaves out a request whose spans can't be written", async () => {
    const { exporter, batches, failed } = openExporter({ batchRequestsMax: 10 });
    const broken = endedTrace("/2");
    Object.defineProperty(broken, "stages", { value: undefined });
    for (const trace of [endedTrace("/1"), broken, endedTrace("/3")]) exporter.add(trace, 200, "GET");
    await exporter.stop(1_000);
    expect(batches).toEqual([["GET /1", "GET /3"]]);
    expect(failed).toEqual([broken.requestId]);
  });
});
