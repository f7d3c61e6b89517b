import type { JsonObject } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { RepeatedObject } from "./repeated-object.ts";

const NESTING_MAX = 64;
const DONE_MARKER = Buffer.from("DONE");
const NO_BYTES = Buffer.alloc(0);
/** Never added to. */
const NO_PIECES: Buffer[] = [];
const code = (character: string) => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code("\\");
const OBJECT_START = code("{");
const OBJECT_END = code("}");
const LIST_START = code("[");
const LIST_END = code("]");
const COMMA = code(",");
const RECORD_SEPARATOR = 0x1e;

/**
 * Finds the JSON objects in a body that arrives in pieces cut anywhere, also within a character. Accepts one object per
 * line, server-sent events, one list, or objects with nothing between them. `[DONE]`, which some providers send at the
 * end, is returned as `{done: true}`.
 */
export class JsonStreamParser {
  readonly #frameBytesMax: number;
  readonly #lines = new SseUnwrapper();
  /** Made for the first event: a whole answer has none. */
  #repeated: RepeatedObject | undefined;
  #repeatedText: string | undefined;
  /** What is scanned now, and from where. */
  #bytes: Buffer = NO_BYTES;
  #at = 0;
  /** The pieces of the incomplete object. */
  #pieces: Buffer[] = NO_PIECES;
  #pieceBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inList = false;
  #markerLetters = 0;

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** Takes the next bytes. `next` then returns the objects that they complete, until there is none: up to then they must stay. */
  push(bytes: Buffer): void {
    this.#lines.push(bytes);
  }

  /** The next object; undefined: more bytes are needed. */
  next(): JsonObject | undefined {
    this.#repeatedText = undefined;
    for (;;) {
      const object = this.#scan() ?? this.#readLine();
      if (object !== undefined) return object;
      const bytes = this.#lines.next();
      if (bytes === undefined) return undefined;
      this.#bytes = bytes;
      this.#at = 0;
    }
  }

  /** The text in which the last object differs from those before it, if that is all; undefined: it was read by itself. */
  get repeatedText(): string | undefined {
    return this.#repeatedText;
  }

  /** The text of the next object, if that is all in which it differs from those before it; undefined: `next` has to read it. */
  nextText(): string | undefined {
    const repeated = this.#repeated;
    if (repeated === undefined || this.#depth > 0 || this.#inList || this.#at < this.#bytes.length) return undefined;
    const lines = this.#lines;
    const start = lines.startOfObject();
    const text = start === -1 ? undefined : repeated.readText(lines.bytes, start);
    if (text === undefined || text === "" || repeated.end - start > this.#frameBytesMax) return undefined;
    lines.skipLine(repeated.end);
    return text;
  }

  /** Call at the end of the body. Throws where it is incomplete. */
  end(): void {
    this.#lines.end();
    if (this.#depth > 0 || this.#inList) throw new ProviderFailure("broken", "the answer is not complete JSON");
  }

  /**
   * Reads an event whose whole line is there, as most are. Undefined: byte by byte, with whatever may be wrong with it.
   * The result is the same.
   */
  #readLine(): JsonObject | undefined {
    if (this.#depth > 0 || this.#inList) return undefined;
    const lines = this.#lines;
    const start = lines.startOfObject();
    if (start === -1) return undefined;
    this.#repeated ??= new RepeatedObject();
    const text = this.#repeated.readText(lines.bytes, start);
    if (text !== undefined && this.#repeated.end - start <= this.#frameBytesMax) {
      lines.skipLine(this.#repeated.end);
      this.#repeatedText = text;
      return this.#repeated.objectWith(text);
    }
    const end = lines.endOfLine(start);
    if (end === -1 || end - start > this.#frameBytesMax) return undefined;
    const object = this.#parseLine(lines.bytes.toString("utf8", start, end));
    if (object !== undefined) lines.skipLine(end);
    return object;
  }

  #parseLine(line: string): JsonObject | undefined {
    let opened = 0;
    for (let at = 0; at < line.length; at++) {
      const byte = line.charCodeAt(at);
      if (byte === OBJECT_START || byte === LIST_START) opened++;
    }
    if (opened > NESTING_MAX) return undefined;
    try {
      const object = JSON.parse(line) as JsonObject;
      this.#repeated?.learn(line, object);
      return object;
    } catch {
      return undefined;
    }
  }

  #scan(): JsonObject | undefined {
    const bytes = this.#bytes;
    let start = this.#at;
    while (this.#at < bytes.length) {
      if (this.#depth > 0) {
        if (this.#scanObject(bytes)) {
          return this.#takeObject(start === 0 && this.#at === bytes.length ? bytes : bytes.subarray(start, this.#at));
        }
        break;
      }
      const at = this.#at++;
      const byte = bytes[at] ?? 0;
      if (byte === OBJECT_START) {
        this.#depth = 1;
        start = at;
      } else if (!isSeparator(byte) && this.#isMarkerEnd(byte)) {
        return { done: true };
      }
    }
    if (this.#depth > 0 && start < bytes.length) this.#keep(bytes.subarray(start));
    return undefined;
  }

  /** Goes on within an object; true when its last byte was reached. */
  #scanObject(bytes: Buffer): boolean {
    let at = this.#at;
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    while (at < bytes.length && depth > 0) {
      const byte = bytes[at++];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OBJECT_START || byte === LIST_START) {
        depth += 1;
        // JSON.parse handles deeper objects, but not all code that walks through them later does.
        if (depth > NESTING_MAX) throw new ProviderFailure("broken", "the answer is nested too deeply");
      } else if (byte === OBJECT_END || byte === LIST_END) depth -= 1;
    }
    this.#at = at;
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return depth === 0;
  }

  /** Handles a byte between objects; true when it completes the end marker. */
  #isMarkerEnd(byte: number): boolean {
    if (byte === LIST_START && !this.#inList) {
      this.#inList = true;
      this.#markerLetters = 0;
    } else if (byte === LIST_END && this.#inList) {
      this.#inList = false;
      if (this.#markerLetters === 0) return false;
      if (this.#markerLetters < DONE_MARKER.length) throw notJsonFailure();
      return true;
    } else if (this.#inList && byte === DONE_MARKER[this.#markerLetters]) {
      this.#markerLetters += 1;
    } else {
      throw notJsonFailure();
    }
    return false;
  }

  #keep(bytes: Buffer): void {
    const piece = Buffer.from(bytes);
    if (this.#pieces.length === 0) this.#pieces = [piece];
    else this.#pieces.push(piece);
    this.#count(piece);
  }

  #count(piece: Buffer): void {
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes > this.#frameBytesMax) {
      throw new ProviderFailure("too-large", `sent an object of more than ${this.#frameBytesMax} bytes`);
    }
  }

  /** The object that ends with this piece; nearly always it is the only one. */
  #takeObject(last: Buffer): JsonObject {
    this.#count(last);
    const whole = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last], this.#pieceBytes);
    const text = whole.toString("utf8");
    this.#pieces = NO_PIECES;
    this.#pieceBytes = 0;
    try {
      // It starts with a brace, so it is an object if it is JSON at all.
      return JSON.parse(text) as JsonObject;
    } catch (error) {
      throw notJsonFailure(error);
    }
  }
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const FIELDS: ReadonlySet<string> = new Set(["data", "event", "id", "retry"]);
const FIELD_LENGTH_MAX = 5;
/** The start of an event with an object. */
const OBJECT_EVENT = Buffer.from("data: {");

/**
 * Removes the framing of server-sent events from a body, whatever its content type: passes on what follows `data:` and
 * drops comments and other fields. A body without events is passed through.
 */
class SseUnwrapper {
  /** Not known yet; no events; or the position within a line of an event. */
  #place: "before" | "bare" | "field" | "after-colon" | "payload" | "ignored" = "before";
  #field = "";
  #bytes: Buffer = NO_BYTES;
  #at = 0;

  push(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#at = this.#place === "before" ? this.#findFirst(bytes) : 0;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Where the object of the event begins that comes next; -1: it is another event, or not all of its start is there. */
  startOfObject(): number {
    if (this.#place !== "field" || this.#field !== "") return -1;
    const bytes = this.#bytes;
    while (bytes[this.#at] === LF || bytes[this.#at] === CR) this.#at++;
    const at = this.#at;
    for (let index = 0; index < OBJECT_EVENT.length; index++) if (bytes[at + index] !== OBJECT_EVENT[index]) return -1;
    return at + OBJECT_EVENT.length - 1;
  }

  /** Where the line ends that this place is on, without its line break; -1: not all of it is there. */
  endOfLine(place: number): number {
    const end = this.#bytes.indexOf(LF, place);
    return end > place && this.#bytes[end - 1] === CR ? end - 1 : end;
  }

  /** Goes on after a line that ends here. */
  skipLine(end: number): void {
    this.#at = end + (this.#bytes[end] === CR ? 2 : 1);
  }

  /** The next piece of payload; undefined: more bytes are needed. */
  next(): Buffer | undefined {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const at = this.#at;
      if (this.#place === "bare") {
        this.#at = bytes.length;
        return at === 0 ? bytes : bytes.subarray(at);
      }
      if (this.#place === "payload" || this.#place === "ignored") {
        const isPayload = this.#place === "payload";
        const end = endOfLine(bytes, at);
        if (end < bytes.length) this.#place = "field";
        this.#at = end + 1;
        // The line break is included: it separates two objects, and within one object it is white space.
        if (isPayload) return bytes.subarray(at, end + 1);
      } else {
        this.#at += this.#readFieldByte(bytes[at] ?? LF);
      }
    }
    return undefined;
  }

  /** Call at the end of the body. Throws on an unknown field. */
  end(): void {
    if (this.#field !== "" && !FIELDS.has(this.#field)) throw notJsonFailure();
  }

  /** Skips white space and a byte order mark, and decides by the first byte after them. */
  #findFirst(bytes: Buffer): number {
    let at = 0;
    for (let byte = bytes[0]; byte !== undefined; byte = bytes[++at])
      if (!isSpace(byte) && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) break;
    const first = bytes[at];
    if (first === undefined) return at;
    this.#place = isLetter(first) || first === COLON ? "field" : "bare";
    return at;
  }

  /** Handles one byte at the start of a line; returns how many bytes were consumed. */
  #readFieldByte(byte: number): 0 | 1 {
    if (this.#place === "after-colon") {
      this.#place = "payload";
      return byte === SPACE ? 1 : 0;
    }
    if (byte === COLON || byte === LF || byte === CR) {
      const field = this.#field;
      this.#field = "";
      if (field !== "" && !FIELDS.has(field)) throw notJsonFailure();
      if (byte === COLON) this.#place = field === "data" ? "after-colon" : "ignored";
      return 1;
    }
    if (this.#field === "" && !isLetter(byte)) {
      // Some providers send an error between their events as a bare line of JSON.
      this.#place = "payload";
      return 0;
    }
    this.#field += String.fromCharCode(byte);
    if (this.#field.length > FIELD_LENGTH_MAX) throw notJsonFailure();
    return 1;
  }
}

/** The failure for a body that can't be parsed. */
function notJsonFailure(cause?: unknown): ProviderFailure {
  return new ProviderFailure("broken", "the answer is not JSON", {}, { cause });
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

/** Whether a byte may separate two objects: white space, a comma, or the record separator of JSON text sequences. */
function isSeparator(byte: number): boolean {
  return isSpace(byte) || byte === COMMA || byte === RECORD_SEPARATOR;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === 0x09;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}
