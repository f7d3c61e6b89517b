import { createRequire } from "node:module";
import type { TraceContext } from "@trunkline/core/trace-context.ts";
import { describe, expect, it } from "vitest";
import { JsonBatchWriter } from "./json-span-writer.ts";
import { toUnixNano } from "./otlp-json.ts";
import { ProtoSpanWriter } from "./proto-span-writer.ts";
import { KnownAttributes, type SpanBatchWriter } from "./span-writer.ts";

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
const CALL = { spanId: "00000000000000ff", name: "chat acme/one", startMs: 0.25, endMs: 12.000001 };
/** The second of these took turns with another stage. */
const STAGES = {
  stages: ["route", "provider", "settle"],
  stageMs: [1.5, 2.25, 1],
  stageStartMs: [0.000001, 1.5, 90_000_000.125],
  stageEndMs: [1.500001, 9.75, 90_000_001.125],
} as const;

/** What a receiver reads of a batch in protobuf's form. */
function read(bytes: Buffer) {
  const message = ExportTraceServiceRequest.decode(bytes);
  // What is not known to the official messages, or is longer than it need be, has another length when it is written again.
  expect(ExportTraceServiceRequest.encode(message).finish()).toHaveLength(bytes.length);
  const hex = (id: Buffer) => id.toString("hex");
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const { resourceSpans }: any = ExportTraceServiceRequest.toObject(message, { longs: String, bytes: Buffer });
  for (const span of resourceSpans[0].scopeSpans[0].spans ?? []) {
    span.traceId = hex(span.traceId);
    span.spanId = hex(span.spanId);
    if (span.parentSpanId !== undefined) span.parentSpanId = hex(span.parentSpanId);
  }
  return resourceSpans;
}
const spansOf = (bytes: Buffer) => read(bytes)[0].scopeSpans[0].spans;

const LENGTHS = [0, 1, 20, 100, 127, 128, 300, 16_200, 16_384, 300_000];
const known = new KnownAttributes((to) => to.string("again", "ü".repeat(50)).int("count", 3));

/** Every kind of value and of span, and lengths on both sides of those that need another byte. */
function writeMany(writer: SpanBatchWriter): Buffer {
  for (const length of LENGTHS) {
    writer.begin(length === 20 ? { ...CONTEXT, parentSpanId: "0000000000000007" } : CONTEXT, BASE_MS);
    writer.openRequest("POST /v1/generate", 12.000001);
    writer.string("text", "ü".repeat(length)).plain("id", "a".repeat(length)).known(known);
    writer.string("again", "gpt-5").string("again", "gpt-5").string("absent", undefined).plain("absent", undefined);
    for (const value of [0, 127, 128, 65_536, 2 ** 40, Number.MAX_SAFE_INTEGER, -1, undefined])
      writer.int("int", value);
    for (const value of [0, -0.5, 1e-9, 1e300, Number.NaN, undefined]) writer.double("double", value);
    writer.bool("yes", true).bool("no", false).bool("absent", undefined);
    writer.close(length === 100 ? 'it said "no"\n' : undefined);
    if (length !== 127) writer.stages(STAGES);
    writer.openCall(CALL);
    writer.known(known).close(undefined);
  }
  return writer.takeBatch();
}

/** Ids that are counted differ from writer to writer: they are replaced by their place. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
function withPlaces(resourceSpans: any) {
  const places = new Map<string, string>();
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  resourceSpans[0].scopeSpans[0].spans.forEach((span: any, place: number) => {
    if (span.kind === 1) places.set(span.spanId, `span ${place}`);
    span.spanId = places.get(span.spanId) ?? span.spanId;
    span.parentSpanId = places.get(span.parentSpanId) ?? span.parentSpanId;
  });
  return resourceSpans;
}

describe("spans in protobuf's form", () => {
  it("say what spans in JSON say, with the same resource and scope", () => {
    const written = withPlaces(read(writeMany(new ProtoSpanWriter(RESOURCE))));
    const inJson = withPlaces(JSON.parse(writeMany(new JsonBatchWriter(RESOURCE)).toString()).resourceSpans);
    expect(written).toEqual(inJson);
    const spans = written[0].scopeSpans[0].spans;
    expect(spans).toHaveLength(LENGTHS.length * 5 - 3);
    expect(spans[0].parentSpanId).toBeUndefined();
    expect(spans[4].parentSpanId).toBe("span 2");
  });

  it("are the same the second time, when what they have in common is known", () => {
    const writer = new ProtoSpanWriter(RESOURCE);
    const first = withPlaces(read(writeMany(writer)));
    expect(withPlaces(read(writeMany(writer)))).toEqual(first);
  });

  it("have the exact times of stages, and the active time of those that took turns", () => {
    const writer = new ProtoSpanWriter(RESOURCE);
    writer.begin(CONTEXT, BASE_MS);
    writer.stages(STAGES);
    const spans = spansOf(writer.takeBatch());
    expect(spans).toMatchObject(
      STAGES.stages.map((name, at) => ({
        traceId: CONTEXT.traceId,
        parentSpanId: CONTEXT.spanId,
        flags: 0x101,
        kind: 1,
        name,
        startTimeUnixNano: toUnixNano(BASE_MS, STAGES.stageStartMs[at]),
        endTimeUnixNano: toUnixNano(BASE_MS, STAGES.stageEndMs[at]),
      })),
    );
    expect(spans[1].attributes).toEqual([{ key: "trunkline.stage.active_ms", value: { doubleValue: 2.25 } }]);
    expect(spans[0].attributes).toBeUndefined();
    expect(new Set(spans.map(({ spanId }: { spanId: string }) => spanId)).size).toBe(3);
  });

  it("know as many sequences of stages as come", () => {
    const writer = new ProtoSpanWriter(RESOURCE);
    const { stages } = STAGES;
    for (let round = 0; round < 2; round++)
      for (let count = 0; count < 40; count++) {
        writer.begin(CONTEXT, BASE_MS);
        const sequence = Array.from({ length: count }, (_, at) => stages[at % 3] ?? "route");
        const times = sequence.map((_, at) => at);
        writer.stages({ stages: sequence, stageMs: times.map(() => 1), stageStartMs: times, stageEndMs: times });
        const names = (spansOf(writer.takeBatch()) ?? []).map(({ name }: { name: string }) => name);
        expect(names).toEqual(sequence);
      }
  });

  it("of a batch stay as they were while the next is written, whatever its size", () => {
    const writer = new ProtoSpanWriter(RESOURCE);
    const batches: Buffer[] = [];
    for (let batch = 0; batch < 4; batch++) {
      for (let request = 0; request < 50; request++) {
        writer.begin(CONTEXT, BASE_MS);
        writer.openRequest(`request ${request} of ${batch}`, 1);
        writer.string("text", `${request} ${"ü🐘".repeat(1_000)}`).close(undefined);
      }
      batches.push(writer.takeBatch());
    }
    for (const [batch, bytes] of batches.entries()) {
      const spans = spansOf(bytes);
      expect(spans).toHaveLength(50);
      for (const [request, span] of spans.entries()) {
        expect(span.name).toBe(`request ${request} of ${batch}`);
        expect(span.attributes[0].value.stringValue).toBe(`${request} ${"ü🐘".repeat(1_000)}`);
      }
    }
    expect(spansOf(writer.takeBatch())).toBeUndefined();
  });

  it.each([
    ["protobuf", () => new ProtoSpanWriter(RESOURCE), spansOf],
    [
      "JSON",
      () => new JsonBatchWriter(RESOURCE),
      (bytes: Buffer) => JSON.parse(bytes.toString()).resourceSpans[0].scopeSpans[0].spans,
    ],
  ] as const)("of a request that is abandoned are left out in %s", (_form, createWriter, spansIn) => {
    const writer = createWriter();
    for (const name of ["one", "two", "three"]) {
      writer.begin(CONTEXT, BASE_MS);
      writer.openRequest(name, 1);
      writer.string("text", name);
      if (name === "two") writer.abandon();
      else writer.close(undefined);
    }
    expect(spansIn(writer.takeBatch()).map(({ name }: { name: string }) => name)).toEqual(["one", "three"]);
  });
});
