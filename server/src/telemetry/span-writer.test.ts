import type { TraceContext } from "@trunkline/core/trace-context.ts";
import { spanIdOf } from "@trunkline/core/trace-context.ts";
import { describe, expect, it } from "vitest";
import { toUnixNano } from "./otlp-json.ts";
import { SpanWriter } from "./span-writer.ts";

const CONTEXT: TraceContext = {
  traceId: "0123456789abcdef0123456789abcdef",
  spanId: "fedcba9876543210",
  parentSpanId: undefined,
  isSampled: true,
  traceState: undefined,
};
const BASE_MS = 1_794_975_558_612;

describe("the spans of stages", () => {
  it.each([
    [0, 0],
    [0.000001, 1.5],
    [387.999999, 388],
    [1_441_387.25, 90_000_000.125],
  ])("have their ids and exact times, from %d to %d ms", (startMs, endMs) => {
    const writer = new SpanWriter();
    writer.beginStages(CONTEXT);
    const spanNumber = writer.stage("route", BASE_MS, startMs, endMs);
    expect(JSON.parse(`[{}${writer.take().toString()}]`)[1]).toEqual({
      traceId: CONTEXT.traceId,
      parentSpanId: CONTEXT.spanId,
      spanId: spanIdOf(spanNumber),
      flags: 0x101,
      kind: 1,
      name: "route",
      startTimeUnixNano: toUnixNano(BASE_MS, startMs),
      endTimeUnixNano: toUnixNano(BASE_MS, endMs),
    });
  });

  it("of one request stay together, and as they were, while others are written", () => {
    const writer = new SpanWriter();
    const taken: Buffer[] = [];
    const letters = "ü🐘".repeat(1_000);
    for (let request = 0; request < 200; request++) {
      writer.text(JSON.stringify({ request, letters }));
      writer.beginStages(CONTEXT);
      for (let stage = 0; stage < 5; stage++) writer.stage("screen", BASE_MS, request, stage);
      taken.push(writer.take());
    }
    for (const [request, spans] of taken.entries()) {
      const [head, ...stages] = JSON.parse(`[${spans.toString()}]`);
      expect(head).toEqual({ request, letters });
      expect(stages.map((span: { startTimeUnixNano: string }) => span.startTimeUnixNano)).toEqual(
        Array.from({ length: 5 }, () => toUnixNano(BASE_MS, request)),
      );
    }
    expect(writer.take()).toHaveLength(0);
  });

  it("may follow a text that is larger than the memory that is taken at once", () => {
    const writer = new SpanWriter();
    const long = "x".repeat(3_000_000);
    writer.text(`"${long}"`);
    expect(JSON.parse(writer.take().toString())).toBe(long);
  });
});
