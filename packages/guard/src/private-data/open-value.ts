import { SIGN } from "../stride-signs.ts";
import type { Tail } from "../tail.ts";
import { beginsKeyIn, LONGEST_ANCHOR } from "./secrets/keys.ts";

/** No key is shorter. */
const KEY_MIN = 16;
/** A shorter word is held back anyway. */
const WORD_MIN = 32;
/** An address of mail is no longer, and may stand at the end of a longer word. */
const WORD_MAX = 128;
/** Where a key has not proven to be one by then, it is none. Within what those who follow an answer can look back on. */
const KEY_MAX = 448;
/** Until it is this long, a word is looked at with every stride: what stands before it may say what it is. */
const LOOKED_THROUGH = 192;
/** And then only this often: of a value within it nothing was given out by then. */
const LOOK_EVERY = 64;
/** But for longer values, which have one of these: behind it, too, every stride is looked at. */
const JOINT = /[@:=.~\\]/;
const JOINT_REACH = 160;
/** How far into its lines a private key is known for one. */
const BLOCK_MAX = 256;
const HEADER = "-----BEGIN ";
const HEADER_LINE = /^-----BEGIN [A-Z0-9 ]{0,64}-----/;

/**
 * What a growing text ends with, where that may prove to be a value only later than is waited for otherwise: a long word,
 * or the first lines of a private key. No part of it may be given out before.
 */
export class OpenValue {
  #word = 0;
  /** Up to where something that begins as keys do may prove to be one. */
  #keyUntil = 0;
  #jointUntil = 0;
  #isDue = true;
  #isLong = false;
  #block: number | undefined;
  #to = 0;

  /** Where it begins; undefined: there is no such thing. */
  get from(): number | undefined {
    if (this.#block !== undefined) return this.#block;
    if (this.#to - this.#word < WORD_MIN) return undefined;
    return Math.max(this.#word, this.#to - (this.#to < this.#keyUntil ? KEY_MAX : WORD_MAX));
  }

  /** Where the first lines of a private key begin, if they do. */
  get block(): number | undefined {
    return this.#block;
  }

  /** Whether a word as long as keys was read last, be it over or not. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /** Whether it is worth a look now. */
  get isDue(): boolean {
    return this.#isDue || this.#block !== undefined;
  }

  read(tail: Tail, from: number, to: number): void {
    this.#to = to;
    this.#readWord(tail, from, to);
    if (this.#block !== undefined || (tail.recentSigns & SIGN.dash) !== 0) this.#readBlock(tail, from, to);
  }

  #readWord(tail: Tail, from: number, to: number): void {
    let end = from;
    while (end < to && !isBreak(tail.codeAt(end))) end += 1;
    this.#isLong = end - this.#word >= KEY_MIN;
    this.#isDue = true;
    if (end < to) {
      let start = to;
      while (!isBreak(tail.codeAt(start - 1))) start -= 1;
      this.#word = start;
      this.#keyUntil = 0;
    } else if (to - this.#word >= WORD_MIN) {
      // All of it at first, and then what is new.
      const isNew = from - this.#word < WORD_MIN;
      const since = isNew ? this.#word : from - LONGEST_ANCHOR;
      if (beginsKeyIn(tail.slice(since - 1, to), since === 0 ? 0 : 1)) this.#keyUntil = to + KEY_MAX;
      if (JOINT.test(tail.slice(from, to))) this.#jointUntil = to + JOINT_REACH;
      this.#isDue =
        to - this.#word < LOOKED_THROUGH ||
        to < Math.max(this.#keyUntil, this.#jointUntil) ||
        Math.floor(to / LOOK_EVERY) !== Math.floor(from / LOOK_EVERY);
    }
  }

  #readBlock(tail: Tail, from: number, to: number): void {
    const seen = Math.max(0, from - HEADER.length);
    const found = tail.slice(seen, to).lastIndexOf(HEADER);
    if (found !== -1) this.#block = seen + found;
    if (this.#block === undefined) return;
    const [header] = HEADER_LINE.exec(tail.slice(this.#block, to)) ?? [];
    if (to - this.#block > BLOCK_MAX || header?.includes("PRIVATE KEY") === false) this.#block = undefined;
  }

  /** It has proven to be a value, and need not be waited for. */
  settle(): void {
    this.#block = undefined;
  }
}

/** What stands in no key and no address. */
export function isBreak(code: number): boolean {
  return code < 128 ? BREAKS[code] === 1 : code >= 0x250;
}

const BREAKS = new Uint8Array(128).fill(1, 0, 33);
for (const character of "\"'`<>,;(){}[]") BREAKS[character.charCodeAt(0)] = 1;
