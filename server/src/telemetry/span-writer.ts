import type { Stage } from "@trunkline/core/request-trace.ts";
import { nextSpanNumber, SPAN_ID_START, type TraceContext } from "@trunkline/core/trace-context.ts";

/** Spans are written into memory of this size, one request after the other: memory for each of them would cost more than its text. */
const CHUNK_BYTES = 256 * 1024;
/** The most bytes that a character takes. */
const BYTES_PER_CHARACTER_MAX = 3;

const HEX = Buffer.from("0123456789abcdef", "latin1");
const ZERO = 0x30;
/** The digits of a moment in nanoseconds since 1970, until the year 2286. */
const NANO_DIGITS = 19;

/** Sampled, and known to have its parent in this process. */
export const STAGE_FLAGS = 0x101;

/** The beginning of every stage's span of a request, up to the counted half of its id. */
const HEAD_LENGTH = headOf("0".repeat(32), "0".repeat(16)).length;

function headOf(traceId: string, parentId: string): string {
  return `,{"traceId":"${traceId}","parentSpanId":"${parentId}","flags":${STAGE_FLAGS},"kind":1,"spanId":"${SPAN_ID_START}`;
}

const NUMBER_DIGITS = 8;

/** The rest of a stage's span, with blanks for its times, and where these are. */
interface StageTail {
  readonly text: Uint8Array;
  readonly start: number;
  readonly end: number;
}

const tails = new Map<Stage, StageTail>();

function tailOf(stage: Stage): StageTail {
  let tail = tails.get(stage);
  if (tail === undefined) {
    const blank = "0".repeat(NANO_DIGITS);
    const before = `","name":"${stage}","startTimeUnixNano":"`;
    const between = '","endTimeUnixNano":"';
    const text = Buffer.from(`${before}${blank}${between}${blank}"}`, "latin1");
    tail = { text, start: before.length, end: before.length + NANO_DIGITS + between.length };
    tails.set(stage, tail);
  }
  return tail;
}

/**
 * Writes the spans of one request after the other into memory. A request has about ten stages, whose spans differ in ids and times
 * alone: these are put into copies of what is the same, digit by digit, which takes a fraction of the time of making text of them.
 */
export class SpanWriter {
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Where the spans that are being written begin, and how far they are. */
  #from = 0;
  #at = 0;
  /** The beginning of the spans of this request's stages. */
  readonly #head = Buffer.allocUnsafeSlow(HEAD_LENGTH);

  /** Names the request whose stages come next. */
  beginStages({ traceId, spanId }: TraceContext): void {
    this.#head.write(headOf(traceId, spanId), "latin1");
  }

  text(text: string): void {
    this.#reserve(text.length * BYTES_PER_CHARACTER_MAX);
    this.#at += this.#chunk.write(text, this.#at);
  }

  /** Writes a comma and the span of a stage. Returns the counted half of its id. */
  stage(stage: Stage, baseMs: number, startMs: number, endMs: number): number {
    const tail = tailOf(stage);
    this.#reserve(HEAD_LENGTH + NUMBER_DIGITS + tail.text.length);
    const chunk = this.#chunk;
    chunk.set(this.#head, this.#at);
    const spanNumber = nextSpanNumber();
    writeHex(chunk, this.#at + HEAD_LENGTH, spanNumber);
    const at = this.#at + HEAD_LENGTH + NUMBER_DIGITS;
    chunk.set(tail.text, at);
    writeUnixNano(chunk, at + tail.start, baseMs, startMs);
    writeUnixNano(chunk, at + tail.end, baseMs, endMs);
    this.#at = at + tail.text.length;
    return spanNumber;
  }

  /** What was written since the last time. */
  take(): Buffer {
    const written = this.#chunk.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return written;
  }

  /** Goes on in new memory where the old is full, with what belongs together. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return;
    const begun = this.#chunk.subarray(this.#from, this.#at);
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, 2 * (begun.length + bytes)));
    begun.copy(this.#chunk);
    this.#from = 0;
    this.#at = begun.length;
  }
}

function writeHex(chunk: Buffer, at: number, value: number): void {
  let rest = value;
  for (let index = NUMBER_DIGITS - 1; index >= 0; index--) {
    chunk[at + index] = HEX[rest & 0xf] ?? ZERO;
    rest >>>= 4;
  }
}

const MILLION = 1_000_000;

/** In three numbers of few digits, as the whole is beyond what a double holds exactly. */
function writeUnixNano(chunk: Buffer, at: number, baseMs: number, offsetMs: number): void {
  const wholeMs = Math.floor(offsetMs);
  const ms = baseMs + wholeMs;
  const millions = Math.floor(ms / MILLION);
  writeDigits(chunk, at, millions, 7);
  writeDigits(chunk, at + 7, ms - millions * MILLION, 6);
  writeDigits(chunk, at + 13, Math.floor((offsetMs - wholeMs) * 1e6), 6);
}

function writeDigits(chunk: Buffer, at: number, value: number, count: number): void {
  let rest = value | 0;
  for (let index = count - 1; index >= 0; index--) {
    const next = (rest / 10) | 0;
    chunk[at + index] = ZERO + rest - next * 10;
    rest = next;
  }
}
