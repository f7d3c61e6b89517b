import { newSpanId, type TraceContext } from "@trunkline/core/trace-context.ts";
import { AttributeList, createEnvelope, quote, toUnixNano } from "./otlp-json.ts";
import { ATTRIBUTES } from "./semantic-conventions.ts";
import {
  type CallHead,
  type KnownAttributes,
  LOCAL_FLAGS,
  requestFlags,
  round,
  SPAN_KIND,
  type SpanBatchWriter,
  type SpanWriter,
  STATUS_ERROR,
  type StageTimes,
  takesTurns,
} from "./span-writer.ts";

const NO_CONTEXT: TraceContext = {
  traceId: "",
  spanId: "",
  parentSpanId: undefined,
  isSampled: false,
  traceState: undefined,
};

/** Writes spans as OTLP's JSON, with commas between them. */
export class JsonSpanWriter extends AttributeList implements SpanWriter {
  #written = "";
  /** How far it was when the request began. */
  #from = 0;
  #context: TraceContext = NO_CONTEXT;
  /** The span of the stage that waits for providers. */
  #callsParent = "";
  #baseMs = 0;

  begin(context: TraceContext, baseMs: number): void {
    this.#from = this.#written.length;
    this.#context = context;
    this.#callsParent = context.spanId;
    this.#baseMs = baseMs;
  }

  openRequest(name: string, endMs: number): void {
    const { spanId, parentSpanId } = this.#context;
    this.#open(spanId, parentSpanId, requestFlags(this.#context), name, SPAN_KIND.server, 0, endMs);
  }

  stages({ stages, stageMs, stageStartMs, stageEndMs }: StageTimes): void {
    const parentSpanId = this.#context.spanId;
    for (const [at, name] of stages.entries()) {
      const spanId = newSpanId();
      const startMs = stageStartMs[at] ?? 0;
      const endMs = stageEndMs[at] ?? startMs;
      const activeMs = stageMs[at] ?? 0;
      this.#open(spanId, parentSpanId, LOCAL_FLAGS, name, SPAN_KIND.internal, startMs, endMs);
      if (takesTurns(startMs, endMs, activeMs)) this.double(ATTRIBUTES.stageActive, round(activeMs));
      this.close(undefined);
      if (name === "provider") this.#callsParent = spanId;
    }
  }

  openCall({ spanId, name, startMs, endMs }: CallHead): void {
    this.#open(spanId, this.#callsParent, LOCAL_FLAGS, name, SPAN_KIND.client, startMs, endMs);
  }

  #open(
    spanId: string,
    parentSpanId: string | undefined,
    flags: number,
    name: string,
    kind: number,
    startMs: number,
    endMs: number,
  ): void {
    const { traceId } = this.#context;
    const parent = parentSpanId === undefined ? "" : `"parentSpanId":"${parentSpanId}",`;
    this.#written += `${this.#written === "" ? "" : ","}{"traceId":"${traceId}","spanId":"${spanId}",${parent}"flags":${flags},"name":${quote(name)},"kind":${kind},"startTimeUnixNano":"${toUnixNano(this.#baseMs, startMs)}","endTimeUnixNano":"${toUnixNano(this.#baseMs, endMs)}"`;
  }

  known({ add }: KnownAttributes): this {
    add(this);
    return this;
  }

  close(error: string | undefined): void {
    const attributes = this.takeJson();
    if (attributes !== "[]") this.#written += `,"attributes":${attributes}`;
    if (error !== undefined) this.#written += `,"status":{"code":${STATUS_ERROR},"message":${JSON.stringify(error)}}`;
    this.#written += "}";
  }

  get size(): number {
    return this.#written.length;
  }

  abandon(): void {
    this.takeJson();
    this.#written = this.#written.slice(0, this.#from);
  }

  takeText(): string {
    const written = this.#written;
    this.#written = "";
    return written;
  }
}

/** Writes spans of many requests as one message of OTLP's JSON. */
export class JsonBatchWriter extends JsonSpanWriter implements SpanBatchWriter {
  readonly contentType = "application/json";
  readonly #before: string;
  readonly #after: string;

  constructor(resource: Readonly<Record<string, string>>) {
    super();
    const { before, after } = createEnvelope("spans", resource);
    this.#before = before;
    this.#after = after;
  }

  takeBatch(): Buffer {
    return Buffer.from(this.#before + this.takeText() + this.#after);
  }
}
