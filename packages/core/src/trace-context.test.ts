import { describe, expect, it } from "vitest";
import { newSpanId, readParentContext, startCallSpan } from "./trace-context.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

describe("readParentContext", () => {
  it("reads the ids, the sampling flag and the state", () => {
    expect(readParentContext(`00-${TRACE_ID}-${SPAN_ID}-01`, "vendor=1")).toEqual({
      traceId: TRACE_ID,
      spanId: SPAN_ID,
      isSampled: true,
      traceState: "vendor=1",
    });
    expect(readParentContext(`00-${TRACE_ID}-${SPAN_ID}-02`, undefined)?.isSampled).toBe(false);
    expect(readParentContext(`00-${TRACE_ID}-${SPAN_ID}-00`, ["a=1", "b=2"])?.traceState).toBe("a=1,b=2");
  });

  it("reads a later version by its first four fields", () => {
    expect(readParentContext(`01-${TRACE_ID}-${SPAN_ID}-01-more`, undefined)?.traceId).toBe(TRACE_ID);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${TRACE_ID}-${SPAN_ID}`,
    `00-${TRACE_ID}-${SPAN_ID}-01-more`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${"0".repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    [`00-${TRACE_ID}-${SPAN_ID}-01`, `00-${TRACE_ID}-${SPAN_ID}-01`],
  ])("ignores %j", (header) => {
    expect(readParentContext(header, undefined)).toBeUndefined();
  });

  it("drops a state that is too long or can't be a header", () => {
    const parent = `00-${TRACE_ID}-${SPAN_ID}-01`;
    expect(readParentContext(parent, `a=${"x".repeat(600)}`)?.traceState).toBeUndefined();
    expect(readParentContext(parent, "a=\u00e4")?.traceState).toBeUndefined();
  });
});

describe("startCallSpan", () => {
  it("passes the trace on under a span of its own", () => {
    const context = {
      traceId: TRACE_ID,
      spanId: SPAN_ID,
      parentSpanId: undefined,
      isSampled: true,
      traceState: "vendor=1",
    };
    const span = startCallSpan(context, 12);
    expect(span.headers).toEqual({ traceparent: `00-${TRACE_ID}-${span.spanId}-01`, tracestate: "vendor=1" });
    expect(readParentContext(span.headers.traceparent, undefined)?.spanId).toBe(span.spanId);
    const unsampled = startCallSpan({ ...context, isSampled: false, traceState: undefined }, 12);
    expect(unsampled.headers).toEqual({ traceparent: `00-${TRACE_ID}-${unsampled.spanId}-00` });
  });

  it("never makes the same id twice", () => {
    const ids = Array.from({ length: 1_000 }, newSpanId);
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });
});
