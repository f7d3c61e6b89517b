import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, jsonTooDeepFault, repeatedKeyFault } from "@trunkline/core/strict-json.ts";
import { TimeSlice } from "@trunkline/guard/time-slice.ts";

/** A longer body is parsed here. A shorter one can't have too many values. */
export const LARGE_TEXT_LENGTH = 128 * 1024;

/** Longer strings are read in pieces of this many characters. */
const PIECE_LENGTH = 64 * 1024;
/** After this many characters without an escape, the next escape is searched for. */
const PLAIN_CHARACTERS = 12;
/** No number that means something has more characters; reading one takes longer the more it has. */
const NUMBER_LENGTH_MAX = 1_000;
/** The clock is read once for this many values. */
const VALUES_PER_LOOK = 256;

type Container = unknown[] | Record<string, unknown>;

/**
 * Parses a large body with the rules of `parseStrictJson`, and yields to other requests meanwhile: `JSON.parse` would hold up
 * all of them until it is done. Refuses more than 200,000 values, each of which takes far more memory than its text.
 */
export function parseLargeJson(text: string): Promise<unknown> {
  return new LargeJsonReader(text).read();
}

class LargeJsonReader {
  readonly #text: string;
  readonly #timeSlice = new TimeSlice();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  async read(): Promise<unknown> {
    const open: Container[] = [];
    let container: Container | undefined;
    let key = "";
    let root: unknown;
    for (let values = 1; ; values++) {
      if (values > JSON_VALUES_MAX) throw tooManyValuesFault();
      if (values % VALUES_PER_LOOK === 0 && this.#timeSlice.isUsedUp) await this.#timeSlice.yieldToEventLoop();
      const code = this.#codeAfterSpace();
      let value: unknown;
      if (code === QUOTE) {
        const string = this.#string();
        value = typeof string === "string" ? string : await string;
      } else if (code === OPEN_BRACE) value = {};
      else if (code === OPEN_BRACKET) value = [];
      else value = this.#literal(code);
      if (container === undefined) root = value;
      else if (Array.isArray(container)) container.push(value);
      else setField(container, key, value);
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#at++;
        if (open.length >= JSON_DEPTH_MAX) throw jsonTooDeepFault();
        container = value as Container;
        open.push(container);
        if (this.#codeAfterSpace() !== closerOf(container)) {
          if (code === OPEN_BRACE) key = await this.#key(container);
          continue;
        }
      }
      // After a value: as many containers end as are closed, then the next value begins.
      for (;;) {
        const next = this.#codeAfterSpace();
        if (container === undefined) {
          if (this.#at < this.#text.length) throw this.#unexpected();
          return root;
        }
        if (next === COMMA) break;
        if (next !== closerOf(container)) throw this.#unexpected();
        this.#at++;
        open.pop();
        container = open.at(-1);
      }
      this.#at++;
      if (!Array.isArray(container)) key = await this.#key(container);
    }
  }

  #codeAfterSpace(): number {
    const text = this.#text;
    let at = this.#at;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    this.#at = at;
    return code;
  }

  /** Reads a key and its colon. */
  async #key(container: Container): Promise<string> {
    if (this.#codeAfterSpace() !== QUOTE) throw this.#unexpected();
    const string = this.#string();
    const key = typeof string === "string" ? string : await string;
    if (Object.hasOwn(container, key)) throw repeatedKeyFault(key);
    if (this.#codeAfterSpace() !== COLON) throw this.#unexpected();
    this.#at++;
    return key;
  }

  /** Reads a string, at once where it is short. */
  #string(): string | Promise<string> {
    const start = this.#at;
    const quote = this.#text.indexOf('"', start + 1);
    if (quote === -1) throw invalidJsonFault("a string does not end");
    if (quote - start > PIECE_LENGTH || this.#text.charCodeAt(quote - 1) === BACKSLASH) return this.#longString();
    this.#at = quote + 1;
    return this.#parse(start, this.#text.slice(start, quote + 1));
  }

  async #longString(): Promise<string> {
    const text = this.#text;
    const pieces: string[] = [];
    let at = this.#at + 1;
    // The next ones at `at` or later.
    let quote = -1;
    let backslash = -1;
    for (;;) {
      const start = at;
      const pieceEnd = Math.min(start + PIECE_LENGTH, text.length);
      // An escape stays in one piece. The halves of a surrogate pair may be parted: joining them makes the character.
      for (let plain = 0; at < pieceEnd; ) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) break;
        if (code === BACKSLASH) {
          at += text.charCodeAt(at + 1) === LETTER_U ? 6 : 2;
          plain = 0;
        } else {
          at++;
          if (++plain < PLAIN_CHARACTERS) continue;
          // A search is much quicker than a look at each of many characters, and slower where there are few.
          if (quote < at) quote = placeOf('"', text, at);
          if (backslash < at) backslash = placeOf("\\", text, at);
          at = Math.min(quote, backslash, pieceEnd);
          plain = 0;
        }
      }
      const code = text.charCodeAt(at);
      pieces.push(this.#parse(start, `"${text.slice(start, at)}"`));
      if (code === QUOTE) break;
      if (at >= text.length) throw invalidJsonFault("a string does not end");
      if (this.#timeSlice.isUsedUp) await this.#timeSlice.yieldToEventLoop();
    }
    this.#at = at + 1;
    return pieces.join("");
  }

  #literal(code: number): unknown {
    const text = this.#text;
    const start = this.#at;
    for (const [word, value] of WORDS) {
      if (code !== word.charCodeAt(0) || !text.startsWith(word, start)) continue;
      this.#at += word.length;
      return value;
    }
    let at = start;
    while (isOfNumber(text.charCodeAt(at))) {
      if (++at - start > NUMBER_LENGTH_MAX)
        throw invalidJsonFault(`a number has more than ${NUMBER_LENGTH_MAX.toLocaleString("en")} characters`);
    }
    if (at === start) throw this.#unexpected();
    this.#at = at;
    return this.#parse(start, text.slice(start, at));
  }

  /** Parses one string or number. Unlike a slice, what `JSON.parse` makes does not keep the whole text in memory. */
  #parse<Value>(start: number, json: string): Value {
    try {
      return JSON.parse(json);
    } catch {
      throw invalidJsonFault(`"${truncateText(json, 20)}" at character ${start} can't be read`);
    }
  }

  #unexpected(): Fault {
    const found = this.#text[this.#at];
    return invalidJsonFault(found === undefined ? "it breaks off" : `unexpected "${found}" at character ${this.#at}`);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

function closerOf(container: Container): number {
  return Array.isArray(container) ? CLOSE_BRACKET : CLOSE_BRACE;
}

/** Where a character comes next; the end of the text where it does not. */
function placeOf(character: string, text: string, from: number): number {
  const place = text.indexOf(character, from);
  return place === -1 ? text.length : place;
}

/** Digits, signs, the point, and the letter before an exponent. */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x2b || (code | 0x20) === 0x65;
}

/** An assignment to `__proto__` would change what the object is. */
function setField(container: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  else container[key] = value;
}

function invalidJsonFault(why: string): Fault {
  return new Fault("invalid_request", `The body is not valid JSON: ${why}.`);
}

function tooManyValuesFault(): Fault {
  const most = JSON_VALUES_MAX.toLocaleString("en");
  return new Fault("invalid_request", `The body has more than ${most} values. Send fewer, in several requests.`);
}
