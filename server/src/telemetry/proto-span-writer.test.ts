import { createRequire } from "node:module";
import type { TraceContext } from "@trunkline/core/trace-context.ts";
import { spanIdOf } from "@trunkline/core/trace-context.ts";
import { describe, expect, it } from "vitest";
import { JsonSpanWriter } from "./json-span-writer.ts";
import { createEnvelope, toUnixNano } from "./otlp-json.ts";
import { ProtoSpanWriter } from "./proto-span-writer.ts";
import { createSpansEnvelope } from "./protobuf.ts";
import type { SpanHead, SpanWriter } from "./span-writer.ts";

const { opentelemetry } = createRequire(import.meta.url)(
  "@opentelemetry/otlp-transformer/build/src/generated/root.js",
) as {
  opentelemetry: {
    // biome-ignore lint/suspicious/noExplicitAny: the official messages have no types.
    proto: { collector: { trace: { v1: { ExportTraceServiceRequest: any } } } };
  };
};
const { ExportTraceServiceRequest } = opentelemetry.proto.collector.trace.v1;

const CONTEXT: TraceContext = {
  traceId: "0123456789abcdef0123456789abcdef",
  spanId: "fedcba9876543210",
  parentSpanId: undefined,
  isSampled: true,
  traceState: undefined,
};
const BASE_MS = 1_794_975_558_612;
const RESOURCE = { "service.name": "gateway", "a name": "ü".repeat(200) };
const HEAD: SpanHead = {
  spanId: "00000000000000ff",
  parentSpanId: CONTEXT.spanId,
  flags: 0x101,
  name: "POST /v1/generate",
  kind: 2,
  startMs: 0.25,
  endMs: 12.000001,
};

/** What a receiver reads of spans in protobuf's form. */
function read(spans: readonly Buffer[]) {
  const bytes = createSpansEnvelope(RESOURCE)(spans);
  const message = ExportTraceServiceRequest.decode(bytes);
  // What is not known to the official messages, or is longer than it need be, has another length when it is written again.
  expect(ExportTraceServiceRequest.encode(message).finish()).toHaveLength(bytes.length);
  return ExportTraceServiceRequest.toObject(message, { longs: String, bytes: Buffer });
}
function spansOf(spans: readonly Buffer[]) {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return read(spans).resourceSpans[0].scopeSpans[0].spans.map((span: any) => ({
    ...span,
    traceId: span.traceId.toString("hex"),
    spanId: span.spanId.toString("hex"),
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId.toString("hex") }),
  }));
}
/** The same spans, by OTLP's JSON. */
const jsonOf = (spans: readonly Buffer[]) => JSON.parse(`[${spans.map(String).join(",")}]`);

/** Every kind of value, and lengths on both sides of those that need another byte. */
function writeMany(writer: SpanWriter): Buffer[] {
  const spans: Buffer[] = [];
  for (const length of [0, 1, 20, 100, 127, 128, 300, 16_200, 16_384, 300_000]) {
    writer.begin(CONTEXT, BASE_MS);
    writer.open({ ...HEAD, ...(length === 20 ? { parentSpanId: undefined } : {}) });
    writer.string("text", "ü".repeat(length)).plain("id", "a".repeat(length));
    writer.string("again", "gpt-5").string("again", "gpt-5").string("absent", undefined).plain("absent", undefined);
    for (const value of [0, 127, 128, 65_536, 2 ** 40, Number.MAX_SAFE_INTEGER, -1, undefined])
      writer.int("int", value);
    for (const value of [0, -0.5, 1e-9, 1e300, Number.NaN, undefined]) writer.double("double", value);
    writer.bool("yes", true).bool("no", false).bool("absent", undefined);
    writer.close(length === 100 ? 'it said "no"\n' : undefined);
    writer.open(HEAD);
    writer.close(undefined);
    spans.push(writer.take());
  }
  return spans;
}

describe("spans in protobuf's form", () => {
  it("say what spans in JSON say", () => {
    expect(spansOf(writeMany(new ProtoSpanWriter()))).toEqual(jsonOf(writeMany(new JsonSpanWriter())));
  });

  it("have the resource and the scope that they have in JSON", () => {
    const { before, after } = createEnvelope("spans", RESOURCE);
    const [{ resource, scopeSpans }] = JSON.parse(`${before}${after}`).resourceSpans;
    const sent = read([]).resourceSpans[0];
    expect(sent.resource.attributes).toEqual(resource.attributes);
    expect(sent.scopeSpans[0].scope.name).toBe(scopeSpans[0].scope.name);
  });

  it.each([
    [0, 0],
    [0.000001, 1.5],
    [387.999999, 388],
    [1_441_387.25, 90_000_000.125],
  ])("have a stage's ids and exact times, from %d to %d ms", (startMs, endMs) => {
    const writer = new ProtoSpanWriter();
    writer.begin(CONTEXT, BASE_MS);
    const spanNumber = writer.stage("route", startMs, endMs);
    expect(spansOf([writer.take()])).toMatchObject([
      {
        traceId: CONTEXT.traceId,
        parentSpanId: CONTEXT.spanId,
        spanId: spanIdOf(spanNumber),
        flags: 0x101,
        kind: 1,
        name: "route",
        startTimeUnixNano: toUnixNano(BASE_MS, startMs),
        endTimeUnixNano: toUnixNano(BASE_MS, endMs),
      },
    ]);
  });

  it("of one request stay together, and as they were, while others are written", () => {
    const writer = new ProtoSpanWriter();
    const taken: Buffer[] = [];
    for (let request = 0; request < 200; request++) {
      writer.begin(CONTEXT, BASE_MS);
      writer.open({ ...HEAD, name: `request ${request}` });
      writer.string("text", `${request} ${"ü🐘".repeat(1_000)}`).close(undefined);
      for (let stage = 0; stage < 5; stage++) writer.stage("screen", request, stage);
      taken.push(writer.take());
    }
    for (const [request, spans] of taken.entries()) {
      const [head, ...stages] = spansOf([spans]);
      expect(head.name).toBe(`request ${request}`);
      expect(head.attributes[0].value.stringValue).toBe(`${request} ${"ü🐘".repeat(1_000)}`);
      expect(stages.map((span: { startTimeUnixNano: string }) => span.startTimeUnixNano)).toEqual(
        Array.from({ length: 5 }, () => toUnixNano(BASE_MS, request)),
      );
    }
    expect(writer.take()).toHaveLength(0);
  });
});
