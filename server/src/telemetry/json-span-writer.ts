import type { Stage } from "@trunkline/core/request-trace.ts";
import { nextSpanNumber, spanIdOf, type TraceContext } from "@trunkline/core/trace-context.ts";
import { AttributeList, quote, toUnixNano } from "./otlp-json.ts";
import { LOCAL_FLAGS, SPAN_KIND, type SpanHead, type SpanWriter, STATUS_ERROR } from "./span-writer.ts";

/** Writes spans as OTLP's JSON, with commas between them. */
export class JsonSpanWriter extends AttributeList implements SpanWriter {
  #written = "";
  #traceId = "";
  #parentSpanId = "";
  #baseMs = 0;

  begin({ traceId, spanId }: TraceContext, baseMs: number): void {
    this.#traceId = traceId;
    this.#parentSpanId = spanId;
    this.#baseMs = baseMs;
  }

  stage(stage: Stage, startMs: number, endMs: number): number {
    const spanNumber = nextSpanNumber();
    const parentSpanId = this.#parentSpanId;
    const kind = SPAN_KIND.internal;
    this.open({ spanId: spanIdOf(spanNumber), parentSpanId, flags: LOCAL_FLAGS, name: stage, kind, startMs, endMs });
    this.close(undefined);
    return spanNumber;
  }

  open({ spanId, parentSpanId, flags, name, kind, startMs, endMs }: SpanHead): void {
    const parent = parentSpanId === undefined ? "" : `"parentSpanId":"${parentSpanId}",`;
    this.#written += `${this.#written === "" ? "" : ","}{"traceId":"${this.#traceId}","spanId":"${spanId}",${parent}"flags":${flags},"name":${quote(name)},"kind":${kind},"startTimeUnixNano":"${toUnixNano(this.#baseMs, startMs)}","endTimeUnixNano":"${toUnixNano(this.#baseMs, endMs)}"`;
  }

  close(error: string | undefined): void {
    const attributes = this.takeJson();
    if (attributes !== "[]") this.#written += `,"attributes":${attributes}`;
    if (error !== undefined) this.#written += `,"status":{"code":${STATUS_ERROR},"message":${JSON.stringify(error)}}`;
    this.#written += "}";
  }

  take(): Buffer {
    return Buffer.from(this.takeText());
  }

  takeText(): string {
    const written = this.#written;
    this.#written = "";
    return written;
  }
}
