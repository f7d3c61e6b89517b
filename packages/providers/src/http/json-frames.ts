import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { notJsonFailure, SseUnwrapper } from "./event-lines.ts";

/** An object as it came, nothing about it checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

const NESTING_MAX = 64;
const DONE_MARKER = Buffer.from("DONE");
const code = (character: string) => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code("\\");
const OBJECT_START = code("{");
const OBJECT_END = code("}");
const LIST_START = code("[");
const LIST_END = code("]");
/** What may stand between two objects: white space, a comma, and the record separator of JSON text sequences. */
const SEPARATORS: ReadonlySet<number> = new Set([" ", "\t", "\n", "\r", ",", "\u001e"].map(code));

/**
 * Finds the JSON objects in a body that comes in pieces cut anywhere, also within a character. Takes them one
 * per line, as server-sent events, in one list, or with nothing between them. `[DONE]`, which some put at the
 * end of their events, comes out as `{done: true}`.
 */
export class JsonStreamParser {
  readonly #frameBytesMax: number;
  readonly #lines = new SseUnwrapper();
  /** The pieces of the object that is not complete yet. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inList = false;
  #markerLetters = 0;

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** The objects that these bytes complete. */
  *push(bytes: Buffer): Generator<JsonObject, void, undefined> {
    for (const piece of this.#lines.unwrap(bytes)) yield* this.#scan(piece);
  }

  /** Says that the body is over. */
  end(): void {
    this.#lines.end();
    if (this.#depth > 0 || this.#inList)
      throw new ProviderFailure("broken", "the answer is not complete JSON");
  }

  *#scan(bytes: Buffer): Generator<JsonObject, void, undefined> {
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#depth > 0) {
        if (this.#closesObject(byte)) {
          this.#keep(bytes.subarray(start, at + 1));
          yield this.#takeObject();
        }
      } else if (byte === OBJECT_START) {
        this.#depth = 1;
        start = at;
      } else if (!SEPARATORS.has(byte) && this.#isMarkerEnd(byte)) {
        yield { done: true };
      }
    }
    if (this.#depth > 0) this.#keep(bytes.subarray(start));
  }

  /** Reads on within an object; true when this byte is its last. */
  #closesObject(byte: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
      return false;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OBJECT_START || byte === LIST_START) {
      this.#depth += 1;
      // Deeper objects are parsed without harm, but not everything that walks through them later is as robust.
      if (this.#depth > NESTING_MAX) throw new ProviderFailure("broken", "the answer is nested too deeply");
    } else if (byte === OBJECT_END || byte === LIST_END) this.#depth -= 1;
    return this.#depth === 0;
  }

  /** Reads on between objects; true when this byte completes the end marker. */
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

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes > this.#frameBytesMax) {
      throw new ProviderFailure("too-large", `sent an object of more than ${this.#frameBytesMax} bytes`);
    }
  }

  #takeObject(): JsonObject {
    const text = Buffer.concat(this.#pieces, this.#pieceBytes).toString("utf8");
    this.#pieces = [];
    this.#pieceBytes = 0;
    try {
      // It starts with a brace, so that it is an object if it is JSON at all.
      return JSON.parse(text) as JsonObject;
    } catch (error) {
      throw notJsonFailure(error);
    }
  }
}
