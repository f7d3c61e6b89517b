import { ProviderFailure } from "@trunkline/core/attempt.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const FIELDS: ReadonlySet<string> = new Set(["data", "event", "id", "retry"]);
const FIELD_LENGTH_MAX = 5;

/**
 * Takes the framing of server-sent events off a body, whatever it was announced as: what stands behind `data:`
 * comes out, comments and the other fields don't. A body that is not made of events comes out as it is.
 */
export class SseUnwrapper {
  /** Nothing has come that tells; no events; or where in a line of an event we are. */
  #place: "before" | "bare" | "field" | "after-colon" | "payload" | "ignored" = "before";
  #field = "";

  *unwrap(bytes: Buffer): Generator<Buffer, void, undefined> {
    let at = this.#place === "before" ? this.#findFirst(bytes) : 0;
    if (this.#place === "bare") {
      yield bytes.subarray(at);
      return;
    }
    while (at < bytes.length) {
      if (this.#place === "payload") {
        const end = endOfLine(bytes, at);
        // The line's end goes along: it parts two objects, and within one object it is white space.
        yield bytes.subarray(at, end + 1);
        if (end < bytes.length) this.#place = "field";
        at = end + 1;
      } else if (this.#place === "ignored") {
        const end = endOfLine(bytes, at);
        if (end < bytes.length) this.#place = "field";
        at = end + 1;
      } else {
        at += this.#readFieldByte(bytes[at] ?? LF);
      }
    }
  }

  /** Says that the body is over. */
  end(): void {
    if (this.#field !== "" && !FIELDS.has(this.#field)) throw notJsonFailure();
  }

  /** Skips white space and a byte order mark, and decides by the first byte after them. */
  #findFirst(bytes: Buffer): number {
    const at = bytes.findIndex((byte) => !isSpace(byte) && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
    if (at === -1) return bytes.length;
    const first = bytes[at] ?? LF;
    this.#place = isLetter(first) || first === COLON ? "field" : "bare";
    return at;
  }

  /** One byte of a line's start; answers how many bytes are dealt with. */
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
      // Some send an error in the middle of their events as a bare line of JSON.
      this.#place = "payload";
      return 0;
    }
    this.#field += String.fromCharCode(byte);
    if (this.#field.length > FIELD_LENGTH_MAX) throw notJsonFailure();
    return 1;
  }
}

/** What is said of a body that can't be read at all. */
export function notJsonFailure(cause?: unknown): ProviderFailure {
  return new ProviderFailure("broken", "the answer is not JSON", {}, { cause });
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === 0x09;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}
