import type { Stage } from "@trunkline/core/request-trace.ts";
import { nextSpanNumber, SPAN_ID_START, type TraceContext } from "@trunkline/core/trace-context.ts";
import { lengthField, stringAttribute, TAGS, toVarint, varintLength } from "./protobuf.ts";
import { LOCAL_FLAGS, SPAN_KIND, type SpanHead, type SpanWriter, STATUS_ERROR } from "./span-writer.ts";

/** Spans are written into memory of this size, one request after the other: memory for each of them would cost more than its text. */
const CHUNK_BYTES = 256 * 1024;
/** A span without its attributes, its name and its error is shorter. */
const HEAD_BYTES_MAX = 128;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** A moment takes 8 bytes, a span's flags 4. */
const TIME_BYTES = 8;
/** The length of most spans fits into this. */
const LENGTH_BYTES = 2;

/** The span of a stage, with blanks for its ids and times, and where these are. */
interface StageSpan {
  readonly bytes: Uint8Array;
  readonly traceId: number;
  readonly parent: number;
  readonly spanNumber: number;
  readonly start: number;
  readonly end: number;
}

const stageSpans = new Map<Stage, StageSpan>();

function stageSpanOf(stage: Stage): StageSpan {
  let known = stageSpans.get(stage);
  if (known === undefined) {
    const times = Buffer.alloc(1 + TIME_BYTES + 1 + TIME_BYTES);
    times[0] = TAGS.startTime;
    times[1 + TIME_BYTES] = TAGS.endTime;
    const flags = Buffer.from([...TAGS.flags, 0, 0, 0, 0]);
    flags.writeUInt32LE(LOCAL_FLAGS, 2);
    const content = Buffer.concat([
      lengthField(TAGS.traceId, Buffer.alloc(TRACE_ID_BYTES)),
      lengthField(TAGS.parentSpanId, Buffer.alloc(SPAN_ID_BYTES)),
      lengthField(TAGS.spanId, Buffer.concat([Buffer.from(SPAN_ID_START, "hex"), Buffer.alloc(4)])),
      times,
      lengthField(TAGS.name, stage),
      Buffer.of(TAGS.kind, SPAN_KIND.internal),
      flags,
    ]);
    const bytes = lengthField(TAGS.spans, content);
    const traceId = bytes.length - content.length + 2;
    const parent = traceId + TRACE_ID_BYTES + 2;
    const spanNumber = parent + SPAN_ID_BYTES + 2 + 4;
    const start = spanNumber + 4 + 1;
    known = { bytes, traceId, parent, spanNumber, start, end: start + TIME_BYTES + 1 };
    stageSpans.set(stage, known);
  }
  return known;
}

const KNOWN_MAX = 1_000;
const KNOWN_LENGTH_MAX = 64;

/** Texts that come again and again, such as names of models, with the bytes that they are written as. */
class KnownBytes {
  readonly #known = new Map<string, Uint8Array>();
  readonly #write: (text: string) => Uint8Array;

  constructor(write: (text: string) => Uint8Array) {
    this.#write = write;
  }

  of(text: string): Uint8Array {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const bytes = this.#write(text);
    if (text.length > KNOWN_LENGTH_MAX) return bytes;
    if (this.#known.size === KNOWN_MAX) this.#known.clear();
    this.#known.set(text, bytes);
    return bytes;
  }
}

/** What is the same of all values of an attribute. */
interface AttributeBytes {
  /** The name, and the tag of the value. */
  readonly name: Uint8Array;
  /** Whole attributes, by their texts. */
  readonly ofTexts: KnownBytes;
}

const attributes = new Map<string, AttributeBytes>();

function attributeBytesOf(name: string): AttributeBytes {
  let known = attributes.get(name);
  if (known === undefined) {
    known = {
      name: Buffer.concat([lengthField(TAGS.key, name), Buffer.of(TAGS.value)]),
      ofTexts: new KnownBytes((text) => stringAttribute(TAGS.attributes, name, text)),
    };
    attributes.set(name, known);
  }
  return known;
}

const names = new KnownBytes((name) => lengthField(TAGS.name, name));

const TWO_TO_16 = 0x1_0000;
const TWO_TO_32 = 0x1_0000_0000;
const NANOS_PER_MS = 1_000_000;

/**
 * Writes spans in protobuf's form, straight into memory. What many spans have in common, such as the attribute with the name of a
 * model, is made once and copied; ids and times are numbers.
 */
export class ProtoSpanWriter implements SpanWriter {
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #view = new DataView(this.#chunk.buffer);
  /** Where the spans that are being written begin, how far they are, and where the content of the one that was begun starts. */
  #from = 0;
  #at = 0;
  #content = 0;
  /** When the request began, in nanoseconds, in two halves: the whole is beyond what a double holds exactly. */
  #baseHigh = 0;
  #baseLow = 0;
  /** The request's ids as numbers of 32 bits: to copy a few bytes takes longer than to write numbers. */
  #trace0 = 0;
  #trace1 = 0;
  #trace2 = 0;
  #trace3 = 0;
  #parent0 = 0;
  #parent1 = 0;

  begin({ traceId, spanId }: TraceContext, baseMs: number): void {
    this.#trace0 = wordOf(traceId, 0);
    this.#trace1 = wordOf(traceId, 8);
    this.#trace2 = wordOf(traceId, 16);
    this.#trace3 = wordOf(traceId, 24);
    this.#parent0 = wordOf(spanId, 0);
    this.#parent1 = wordOf(spanId, 8);
    const highMs = Math.floor(baseMs / TWO_TO_16);
    const high = highMs * NANOS_PER_MS;
    const rest = (high % TWO_TO_16) * TWO_TO_16 + (baseMs - highMs * TWO_TO_16) * NANOS_PER_MS;
    this.#baseLow = rest % TWO_TO_32;
    this.#baseHigh = Math.floor(high / TWO_TO_16) + (rest - this.#baseLow) / TWO_TO_32;
  }

  stage(stage: Stage, startMs: number, endMs: number): number {
    const { bytes, traceId, parent, spanNumber, start, end } = stageSpanOf(stage);
    this.#reserve(bytes.length);
    const at = this.#at;
    this.#chunk.set(bytes, at);
    const view = this.#view;
    this.#writeTraceId(at + traceId);
    view.setUint32(at + parent, this.#parent0);
    view.setUint32(at + parent + 4, this.#parent1);
    const number = nextSpanNumber();
    view.setUint32(at + spanNumber, number);
    this.#writeTime(at + start, startMs);
    this.#writeTime(at + end, endMs);
    this.#at = at + bytes.length;
    return number;
  }

  open({ spanId, parentSpanId, flags, name, kind, startMs, endMs }: SpanHead): void {
    const nameBytes = names.of(name);
    this.#reserve(HEAD_BYTES_MAX + nameBytes.length);
    const chunk = this.#chunk;
    let at = this.#at;
    chunk[at] = TAGS.spans;
    at += 1 + LENGTH_BYTES;
    this.#content = at;
    chunk[at] = TAGS.traceId;
    chunk[at + 1] = TRACE_ID_BYTES;
    this.#writeTraceId(at + 2);
    at = this.#writeSpanId(at + 2 + TRACE_ID_BYTES, TAGS.spanId, spanId);
    if (parentSpanId !== undefined) at = this.#writeSpanId(at, TAGS.parentSpanId, parentSpanId);
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

  string(name: string, value: string | undefined): this {
    if (value !== undefined) this.#copy(attributeBytesOf(name).ofTexts.of(value));
    return this;
  }

  plain(name: string, value: string | undefined): this {
    if (value === undefined) return this;
    const { length } = value;
    if (length > KNOWN_LENGTH_MAX) return this.string(name, value);
    const at = this.#openAttribute(name, 2 + length);
    this.#chunk[at] = TAGS.stringValue;
    this.#chunk[at + 1] = length;
    this.#chunk.write(value, at + 2, length, "latin1");
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

  take(): Buffer {
    const written = this.#chunk.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return written;
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
  #writeSpanId(at: number, tag: number, spanId: string): number {
    this.#chunk[at] = tag;
    this.#chunk[at + 1] = SPAN_ID_BYTES;
    this.#view.setUint32(at + 2, wordOf(spanId, 0));
    this.#view.setUint32(at + 6, wordOf(spanId, 8));
    return at + 2 + SPAN_ID_BYTES;
  }

  #writeTime(at: number, offsetMs: number): void {
    const wholeMs = Math.floor(offsetMs);
    const sum = this.#baseLow + wholeMs * NANOS_PER_MS + Math.floor((offsetMs - wholeMs) * NANOS_PER_MS);
    const high = Math.floor(sum / TWO_TO_32);
    this.#view.setUint32(at, sum - high * TWO_TO_32, true);
    this.#view.setUint32(at + 4, this.#baseHigh + high, true);
  }

  /** Goes on in new memory where the old is full, with what belongs together. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return;
    const begun = this.#chunk.subarray(this.#from, this.#at);
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, 2 * (begun.length + bytes)));
    this.#view = new DataView(this.#chunk.buffer);
    begun.copy(this.#chunk);
    this.#content -= this.#from;
    this.#from = 0;
    this.#at = begun.length;
  }
}

/** Eight hexadecimal digits as a number. Ids have small letters only. */
function wordOf(hex: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + 8; at++) {
    const code = hex.charCodeAt(at);
    word = (word << 4) | (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return word;
}
