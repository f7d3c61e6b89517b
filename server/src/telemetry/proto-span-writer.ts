import { nextSpanNumber, SPAN_ID_START, type TraceContext } from "@trunkline/core/trace-context.ts";
import { attributeBytesOf, KNOWN_LENGTH_MAX, nameBytesOf } from "./known-bytes.ts";
import { lengthField, resourceField, SCOPE, TAGS, toVarint, varintLength } from "./protobuf.ts";
import {
  type CallHead,
  type KnownAttributes,
  LOCAL_FLAGS,
  requestFlags,
  round,
  SPAN_KIND,
  type SpanBatchWriter,
  STATUS_ERROR,
  type StageTimes,
} from "./span-writer.ts";
import { STAGE_SPAN, StagePatterns } from "./stage-patterns.ts";

/** The memory of a batch is as large as the last one was, and a bit, within these bounds; it grows where that does not do. */
const CHUNK_BYTES_MIN = 16 * 1024;
const CHUNK_BYTES_MAX = 2 * 1024 * 1024;
/** A span without its attributes, its name and its error is shorter. */
const HEAD_BYTES_MAX = 128;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** A moment takes 8 bytes, a span's flags 4. */
const TIME_BYTES = 8;
/** The length of most spans fits into this. */
const LENGTH_BYTES = 2;
/** A number below 2^31 takes no more. */
const VARINT_BYTES_MAX = 5;

const TWO_TO_16 = 0x1_0000;
const TWO_TO_32 = 0x1_0000_0000;
const NANOS_PER_MS = 1_000_000;

/**
 * Writes spans in protobuf's form, straight into the message that is sent. What many spans have in common, such as the attributes
 * that name a model, is made once and copied; ids and times are numbers.
 */
export class ProtoSpanWriter implements SpanBatchWriter {
  readonly contentType = "application/x-protobuf";
  readonly #stagePatterns = new StagePatterns();
  /** What stands before the spans, but for the lengths: these are known at the end, and there is room left for them. */
  readonly #resource: Buffer;
  readonly #room: number;
  #chunk: Buffer;
  #view: DataView;
  /** How far the spans are, where those of the request begin, and where the content of the one that was begun starts. */
  #at: number;
  #from: number;
  #content = 0;
  /** When the request began, in nanoseconds, in two halves: the whole is beyond what a double holds exactly. */
  #baseHigh = 0;
  #baseLow = 0;
  /** The request's ids as numbers of 32 bits: to copy a few bytes takes longer than to write numbers. */
  #trace0 = 0;
  #trace1 = 0;
  #trace2 = 0;
  #trace3 = 0;
  #span0 = 0;
  #span1 = 0;
  /** The caller's span; all zeros: the trace begins here. */
  #parent0 = 0;
  #parent1 = 0;
  #flags = 0;
  /** The span of the stage that waits for providers. */
  #callsParent0 = 0;
  #callsParent1 = 0;

  constructor(resource: Readonly<Record<string, string>>) {
    this.#resource = resourceField(resource);
    this.#room = 2 * (1 + VARINT_BYTES_MAX) + this.#resource.length + SCOPE.length;
    this.#chunk = Buffer.allocUnsafeSlow(this.#room + CHUNK_BYTES_MIN);
    this.#view = new DataView(this.#chunk.buffer);
    this.#at = this.#room;
    this.#from = this.#room;
  }

  begin(context: TraceContext, baseMs: number): void {
    const { traceId, spanId, parentSpanId } = context;
    this.#from = this.#at;
    this.#trace0 = wordOf(traceId, 0);
    this.#trace1 = wordOf(traceId, 8);
    this.#trace2 = wordOf(traceId, 16);
    this.#trace3 = wordOf(traceId, 24);
    this.#span0 = wordOf(spanId, 0);
    this.#span1 = wordOf(spanId, 8);
    this.#parent0 = parentSpanId === undefined ? 0 : wordOf(parentSpanId, 0);
    this.#parent1 = parentSpanId === undefined ? 0 : wordOf(parentSpanId, 8);
    this.#callsParent0 = this.#span0;
    this.#callsParent1 = this.#span1;
    this.#flags = requestFlags(context);
    const highMs = Math.floor(baseMs / TWO_TO_16);
    const high = highMs * NANOS_PER_MS;
    const rest = (high % TWO_TO_16) * TWO_TO_16 + (baseMs - highMs * TWO_TO_16) * NANOS_PER_MS;
    this.#baseLow = rest % TWO_TO_32;
    this.#baseHigh = Math.floor(high / TWO_TO_16) + (rest - this.#baseLow) / TWO_TO_32;
  }

  openRequest(name: string, endMs: number): void {
    const { server } = SPAN_KIND;
    this.#open(this.#span0, this.#span1, this.#parent0, this.#parent1, this.#flags, name, server, 0, endMs);
  }

  stages(times: StageTimes): void {
    const { stages, stageMs, stageStartMs, stageEndMs } = times;
    const { bytes, starts, turns } = this.#stagePatterns.of(times);
    this.#reserve(bytes.length);
    const from = this.#at;
    this.#chunk.set(bytes, from);
    const view = this.#view;
    for (let stage = 0; stage < starts.length; stage++) {
      const at = from + (starts[stage] ?? 0);
      this.#writeTraceId(at + STAGE_SPAN.traceId);
      view.setUint32(at + STAGE_SPAN.parent, this.#span0);
      view.setUint32(at + STAGE_SPAN.parent + 4, this.#span1);
      const number = nextSpanNumber();
      view.setUint32(at + STAGE_SPAN.spanNumber, number);
      const startMs = stageStartMs[stage] ?? 0;
      this.#writeTime(at + STAGE_SPAN.start, startMs);
      this.#writeTime(at + STAGE_SPAN.end, stageEndMs[stage] ?? startMs);
      if (turns[stage] === true) view.setFloat64(at + STAGE_SPAN.active, round(stageMs[stage] ?? 0), true);
      if (stages[stage] === "provider") {
        this.#callsParent0 = OWN_SPANS_WORD;
        this.#callsParent1 = number;
      }
    }
    this.#at = from + bytes.length;
  }

  openCall({ spanId, name, startMs, endMs }: CallHead): void {
    const span0 = wordOf(spanId, 0);
    const span1 = wordOf(spanId, 8);
    const { client } = SPAN_KIND;
    this.#open(span0, span1, this.#callsParent0, this.#callsParent1, LOCAL_FLAGS, name, client, startMs, endMs);
  }

  /** Without a parent where its id is all zeros. */
  #open(
    span0: number,
    span1: number,
    parent0: number,
    parent1: number,
    flags: number,
    name: string,
    kind: number,
    startMs: number,
    endMs: number,
  ): void {
    const nameBytes = nameBytesOf(name);
    this.#reserve(HEAD_BYTES_MAX + nameBytes.length);
    const chunk = this.#chunk;
    let at = this.#at;
    chunk[at] = TAGS.spans;
    at += 1 + LENGTH_BYTES;
    this.#content = at;
    chunk[at] = TAGS.traceId;
    chunk[at + 1] = TRACE_ID_BYTES;
    this.#writeTraceId(at + 2);
    at = this.#writeSpanId(at + 2 + TRACE_ID_BYTES, TAGS.spanId, span0, span1);
    if (parent0 !== 0 || parent1 !== 0) at = this.#writeSpanId(at, TAGS.parentSpanId, parent0, parent1);
    chunk.set(nameBytes, at);
    at += nameBytes.length;
    chunk[at] = TAGS.kind;
    chunk[at + 1] = kind;
    chunk[at + 2] = TAGS.startTime;
    this.#writeTime(at + 3, startMs);
    at += 3 + TIME_BYTES;
    chunk[at] = TAGS.endTime;
    this.#writeTime(at + 1, endMs);
    at += 1 + TIME_BYTES;
    chunk[at] = TAGS.flags[0];
    chunk[at + 1] = TAGS.flags[1];
    this.#view.setUint32(at + 2, flags, true);
    this.#at = at + 6;
  }

  close(error: string | undefined): void {
    if (error !== undefined) {
      const status = Buffer.concat([lengthField(TAGS.statusMessage, error), Buffer.of(TAGS.statusCode, STATUS_ERROR)]);
      this.#copy(lengthField(TAGS.status, status));
    }
    const length = this.#at - this.#content;
    const needed = varintLength(length);
    if (needed !== LENGTH_BYTES) {
      this.#reserve(needed);
      this.#chunk.copyWithin(this.#content - LENGTH_BYTES + needed, this.#content, this.#at);
      this.#at += needed - LENGTH_BYTES;
    }
    this.#writeVarint(this.#content - LENGTH_BYTES, length);
  }

  known(attributes: KnownAttributes): this {
    if (attributes.protoBytes !== undefined) this.#copy(attributes.protoBytes);
    else {
      const before = this.#at;
      attributes.add(this);
      // Not Buffer's own slice, which would keep the whole batch.
      attributes.protoBytes = Uint8Array.prototype.slice.call(this.#chunk, before, this.#at);
    }
    return this;
  }

  string(name: string, value: string | undefined): this {
    if (value !== undefined) this.#copy(attributeBytesOf(name).ofTexts.of(value));
    return this;
  }

  plain(name: string, value: string | undefined): this {
    if (value === undefined) return this;
    const { length } = value;
    if (length > KNOWN_LENGTH_MAX) return this.string(name, value);
    const at = this.#openAttribute(name, 2 + length);
    const chunk = this.#chunk;
    chunk[at] = TAGS.stringValue;
    chunk[at + 1] = length;
    // Quicker than a call for so few.
    for (let place = 0; place < length; place++) chunk[at + 2 + place] = value.charCodeAt(place);
    this.#at = at + 2 + length;
    return this;
  }

  int(name: string, value: number | undefined): this {
    if (value === undefined) return this;
    const whole = Math.trunc(value);
    if (whole < 0 || !Number.isSafeInteger(whole)) return this.#largeInt(name, whole);
    const length = varintLength(whole);
    const at = this.#openAttribute(name, 1 + length);
    this.#chunk[at] = TAGS.intValue;
    this.#at = this.#writeVarint(at + 1, whole);
    return this;
  }

  #largeInt(name: string, value: number): this {
    if (!Number.isFinite(value)) return this;
    const bytes = toVarint(value);
    const at = this.#openAttribute(name, 1 + bytes.length);
    this.#chunk[at] = TAGS.intValue;
    this.#chunk.set(bytes, at + 1);
    this.#at = at + 1 + bytes.length;
    return this;
  }

  double(name: string, value: number | undefined): this {
    if (value === undefined || !Number.isFinite(value)) return this;
    const at = this.#openAttribute(name, 9);
    this.#chunk[at] = TAGS.doubleValue;
    this.#view.setFloat64(at + 1, value, true);
    this.#at = at + 9;
    return this;
  }

  bool(name: string, value: boolean | undefined): this {
    if (value === undefined) return this;
    const at = this.#openAttribute(name, 2);
    this.#chunk[at] = TAGS.boolValue;
    this.#chunk[at + 1] = value ? 1 : 0;
    this.#at = at + 2;
    return this;
  }

  get size(): number {
    return this.#at - this.#room;
  }

  abandon(): void {
    this.#at = this.#from;
  }

  takeBatch(): Buffer {
    const chunk = this.#chunk;
    const end = this.#at;
    const scopeSpansLength = end - this.#room + SCOPE.length;
    const scopeSpansHead = 1 + varintLength(scopeSpansLength);
    const resourceSpansLength = this.#resource.length + scopeSpansHead + scopeSpansLength;
    const from =
      this.#room - SCOPE.length - scopeSpansHead - this.#resource.length - 1 - varintLength(resourceSpansLength);
    chunk[from] = TAGS.resourceSpans;
    let at = this.#writeVarint(from + 1, resourceSpansLength);
    chunk.set(this.#resource, at);
    at += this.#resource.length;
    chunk[at] = TAGS.scopeSpans;
    chunk.set(SCOPE, this.#writeVarint(at + 1, scopeSpansLength));
    const next = Math.min(Math.max(CHUNK_BYTES_MIN, Math.ceil(1.25 * this.size)), CHUNK_BYTES_MAX);
    this.#chunk = Buffer.allocUnsafeSlow(this.#room + next);
    this.#view = new DataView(this.#chunk.buffer);
    this.#at = this.#room;
    this.#from = this.#room;
    return chunk.subarray(from, end);
  }

  /** Begins an attribute whose value takes `valueLength` bytes, fewer than 128. Returns where the value goes. */
  #openAttribute(name: string, valueLength: number): number {
    const bytes = attributeBytesOf(name).name;
    const length = bytes.length + 1 + valueLength;
    this.#reserve(4 + length);
    const chunk = this.#chunk;
    chunk[this.#at] = TAGS.attributes;
    const at = this.#writeVarint(this.#at + 1, length);
    chunk.set(bytes, at);
    chunk[at + bytes.length] = valueLength;
    return at + bytes.length + 1;
  }

  #copy(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#chunk.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Writes a number and returns where the next byte goes. */
  #writeVarint(from: number, value: number): number {
    const chunk = this.#chunk;
    let at = from;
    let rest = value;
    while (rest >= 0x80) {
      chunk[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    chunk[at++] = rest;
    return at;
  }

  #writeTraceId(at: number): void {
    const view = this.#view;
    view.setUint32(at, this.#trace0);
    view.setUint32(at + 4, this.#trace1);
    view.setUint32(at + 8, this.#trace2);
    view.setUint32(at + 12, this.#trace3);
  }

  /** Returns where the next byte goes. */
  #writeSpanId(at: number, tag: number, word0: number, word1: number): number {
    this.#chunk[at] = tag;
    this.#chunk[at + 1] = SPAN_ID_BYTES;
    this.#view.setUint32(at + 2, word0);
    this.#view.setUint32(at + 6, word1);
    return at + 2 + SPAN_ID_BYTES;
  }

  #writeTime(at: number, offsetMs: number): void {
    const wholeMs = Math.floor(offsetMs);
    const sum = this.#baseLow + wholeMs * NANOS_PER_MS + Math.floor((offsetMs - wholeMs) * NANOS_PER_MS);
    const high = Math.floor(sum / TWO_TO_32);
    this.#view.setUint32(at, sum - high * TWO_TO_32, true);
    this.#view.setUint32(at + 4, this.#baseHigh + high, true);
  }

  /** Goes on in larger memory where there is no room for this number of bytes. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return;
    const written = this.#chunk;
    this.#chunk = Buffer.allocUnsafeSlow(2 * (this.#at + bytes));
    this.#view = new DataView(this.#chunk.buffer);
    written.copy(this.#chunk, this.#room, this.#room, this.#at);
  }
}

/** Eight hexadecimal digits as a number. Ids have small letters only. */
function wordOf(hex: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + 8; at++) {
    const code = hex.charCodeAt(at);
    // Without a branch, which the processor could not predict: letters have the bit of 64.
    word = (word << 4) | ((code & 0xf) + 9 * (code >> 6));
  }
  return word;
}

/** The first half of the ids of spans that begin in this process. */
const OWN_SPANS_WORD = wordOf(SPAN_ID_START, 0);
