import { CHARACTER_CLASS } from "../stride-signs.ts";
import type { StreamBuffer } from "../tail.ts";
import { hasKeyPrefix, LONGEST_KEY_PREFIX } from "./secrets/keys.ts";

/** No key is shorter. */
const KEY_MIN = 16;
/** A shorter word is held back anyway. */
const WORD_MIN = 32;
/** An address of mail is no longer, and may stand at the end of a longer word. */
const WORD_MAX = 128;
/** Where a key has not proven to be one by then, it is none. Within what those who follow an answer can look back on. */
const KEY_MAX = 448;
/** Until it is this long, a word is looked at with every stride: what stands before it may say what it is. */
const ALWAYS_CHECKED_CHARACTERS = 192;
/** And then only this often: of a value within it nothing was given out by then. */
const RECHECK_CHARACTERS = 64;
/** But for longer values, which have one of these: behind it, too, every stride is looked at. */
const VALUE_SEPARATOR = /[@:=.~\\]/;
const VALUE_SEPARATOR_REACH = 160;
/** How far into its lines a private key is known for one. */
const BLOCK_MAX = 256;
const HEADER = "-----BEGIN ";
const HEADER_LINE = /^-----BEGIN [A-Z0-9 ]{0,64}-----/;

/**
 * What a growing text ends with, where that may prove to be a value only later than is waited for otherwise: a long word,
 * or the first lines of a private key. No part of it may be given out before.
 */
export class PendingValue {
  #word = 0;
  /** Up to where something that begins as keys do may prove to be one. */
  #keyUntil = 0;
  #jointUntil = 0;
  #isDue = true;
  #isLong = false;
  #blockStart: number | undefined;
  #to = 0;

  /** Where it begins; undefined: there is no such thing. */
  get start(): number | undefined {
    if (this.#blockStart !== undefined) return this.#blockStart;
    if (this.#to - this.#word < WORD_MIN) return undefined;
    return Math.max(this.#word, this.#to - (this.#to < this.#keyUntil ? KEY_MAX : WORD_MAX));
  }

  /** Where the first lines of a private key begin, if they do. */
  get blockStart(): number | undefined {
    return this.#blockStart;
  }

  /** Whether a word as long as keys was read last, be it over or not. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /** Whether it is worth a look now. */
  get isDue(): boolean {
    return this.#isDue || this.#blockStart !== undefined;
  }

  read(streamBuffer: StreamBuffer, from: number, to: number): void {
    this.#to = to;
    this.#readWord(streamBuffer, from, to);
    if (this.#blockStart !== undefined || (streamBuffer.recentCharacterClasses & CHARACTER_CLASS.dash) !== 0)
      this.#readBlock(streamBuffer, from, to);
  }

  #readWord(streamBuffer: StreamBuffer, from: number, to: number): void {
    let end = from;
    while (end < to && !isBreak(streamBuffer.codeAt(end))) end += 1;
    this.#isLong = end - this.#word >= KEY_MIN;
    this.#isDue = true;
    if (end < to) {
      let start = to;
      while (!isBreak(streamBuffer.codeAt(start - 1))) start -= 1;
      this.#word = start;
      this.#keyUntil = 0;
    } else if (to - this.#word >= WORD_MIN) {
      // All of it at first, and then what is new.
      const isNew = from - this.#word < WORD_MIN;
      const since = isNew ? this.#word : from - LONGEST_KEY_PREFIX;
      if (hasKeyPrefix(streamBuffer.slice(since - 1, to), since === 0 ? 0 : 1)) this.#keyUntil = to + KEY_MAX;
      if (VALUE_SEPARATOR.test(streamBuffer.slice(from, to))) this.#jointUntil = to + VALUE_SEPARATOR_REACH;
      this.#isDue =
        to - this.#word < ALWAYS_CHECKED_CHARACTERS ||
        to < Math.max(this.#keyUntil, this.#jointUntil) ||
        Math.floor(to / RECHECK_CHARACTERS) !== Math.floor(from / RECHECK_CHARACTERS);
    }
  }

  #readBlock(streamBuffer: StreamBuffer, from: number, to: number): void {
    const seen = Math.max(0, from - HEADER.length);
    const found = streamBuffer.slice(seen, to).lastIndexOf(HEADER);
    if (found !== -1) this.#blockStart = seen + found;
    if (this.#blockStart === undefined) return;
    const [header] = HEADER_LINE.exec(streamBuffer.slice(this.#blockStart, to)) ?? [];
    if (to - this.#blockStart > BLOCK_MAX || header?.includes("PRIVATE KEY") === false)
      this.#blockStart = undefined;
  }

  /** It has proven to be a value, and need not be waited for. */
  confirm(): void {
    this.#blockStart = undefined;
  }
}

/** What stands in no key and no address. */
export function isBreak(code: number): boolean {
  return code < 128 ? BREAKS[code] === 1 : code >= 0x250;
}

const BREAKS = new Uint8Array(128).fill(1, 0, 33);
for (const character of "\"'`<>,;(){}[]") BREAKS[character.charCodeAt(0)] = 1;
