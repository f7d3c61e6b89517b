import type { Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { CHARACTER_CLASS, type StreamBuffer } from "../stream-buffer.ts";
import { findPrivateDataWithEscapes } from "./find-private-data.ts";
import { hasKeyPrefix, LONGEST_KEY_PREFIX } from "./secrets/api-keys.ts";
import { SECRET_NAME_HINT } from "./secrets/credentials.ts";
import { readKeyBlock } from "./secrets/private-keys.ts";

/** How much of the answer is searched for a value that has just ended. */
const VIEW_CHARACTERS = 160;
/** Behind a key its other half may stand, which nothing else gives away. */
const VIEW_AFTER_KEY_CHARACTERS = 256;
/** A value that is this long already is told before its end is known, while its beginning is still held back. */
const LONG_VALUE_CHARACTERS = 32;
/** What hardly any value is without. */
const VALUE_CLASSES = CHARACTER_CLASS.digit | CHARACTER_CLASS.at;
/** So many places are remembered, and then those that are out of view are forgotten. */
const REPORTED_MAX = 64;
const FORGET_CHARACTERS = 1_024;
/** As much as there is to look back on. */
const CONTEXT_CHARACTERS = 512;

/** What is neither of a number nor between two parts of one. */
const ENDS_A_NUMBER = /[^\sA-Z\d().+/-]/;
const SPOKEN = /passw|passphrase|ennwort|ontrase| dot |[([{<] ?at ?[)\]}>]/i;
/** How much is read before a value that was waited for: what it is called stands there. */
const LABEL_CHARACTERS = 96;

/** Up to where a value goes on whose beginning is no longer in view: keys are one word. */
const WORD_END = /[^\w+/=.~-]/;

const NO_FINDINGS: readonly Finding[] = [];

/** Private keys begin and end with them. */
const DASHES = "-----";

/** What is read in one go. */
interface SearchWindow {
  readonly since: number;
  readonly to: number;
  readonly isLast: boolean;
  /** Where something begins that had to be waited for. */
  readonly undecidedFrom: number | undefined;
}

/** Follows an answer and tells keys and personal data in it. */
export class PrivateDataStreamDetector implements StreamDetector {
  #judged = 0;
  /** Up to where values were looked for. */
  #searchedTo = 0;
  /** A value that reached the end of what was read, and may go on. */
  #growing: (Finding & { readonly isBlock: boolean }) | undefined;
  /** Whether something was seen whose end is not known yet. */
  #isWaiting = false;
  /** Where the last key ended that was told. */
  #lastKey = Number.NEGATIVE_INFINITY;
  readonly #open = new PendingValue();
  /** The ends of what was told, by where it begins. */
  readonly #reported = new Map<number, number>();

  get decidedTo(): number {
    return this.#judged;
  }

  get undecidedFrom(): number | undefined {
    if (this.#growing === undefined) return this.#open.start;
    return this.#growing.isBlock ? this.#growing.end : this.#open.blockStart;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.#judged;
    this.#judged = to;
    const doubted = this.#open.start;
    this.#open.read(streamBuffer, since, to);
    const doubts = doubted ?? this.#open.start;
    const grown = this.#extendGrowing(streamBuffer, to, isLast);
    const isDue = isLast || this.#isWaiting || this.#open.isDue || this.#growsInView(to);
    const found = isDue
      ? this.#find(streamBuffer, { since: this.#searchedTo, to, isLast, undecidedFrom: doubts })
      : NO_FINDINGS;
    if (isDue) this.#searchedTo = to;
    const findings = grown.length === 0 ? found : [...grown, ...found];
    this.#noteGrowing(streamBuffer, findings);
    if (findings.length === 0) return undefined;
    const news = findings.filter(({ start, end }) => (this.#reported.get(start) ?? 0) < end);
    if (news.length === 0) return undefined;
    for (const { kind, start, end } of news) {
      this.#reported.set(start, end);
      if (kind === "api_key") this.#lastKey = end;
    }
    if (this.#reported.size > REPORTED_MAX) this.#forget(to);
    return { findings: news, normalised: [] };
  }

  /** What is found again may prove to be over. */
  #growsInView(to: number): boolean {
    return this.#growing !== undefined && to - this.#growing.start < CONTEXT_CHARACTERS;
  }

  #noteGrowing(streamBuffer: StreamBuffer, findings: readonly Finding[]): void {
    // A block is read on by its lines, whatever else stands in its last one.
    const block = findings.findLast((finding) => this.#isOpenBlock(streamBuffer, finding));
    const last = findings.at(-1);
    if (block !== undefined) this.#growing = { ...block, isBlock: true };
    else if (this.#growing?.isBlock === true) return;
    else if (last?.end !== this.#judged || last.kind === "private_key") this.#growing = undefined;
    else if (last.start !== this.#growing?.start) this.#growing = { ...last, isBlock: false };
    if (this.#growing?.isBlock === true) this.#open.confirm();
  }

  #isOpenBlock(streamBuffer: StreamBuffer, { kind, start, end }: Finding): boolean {
    if (kind !== "private_key" || streamBuffer.slice(end - DASHES.length, end) === DASHES) return false;
    return (
      streamBuffer.slice(start, start + DASHES.length) === DASHES &&
      readKeyBlock(streamBuffer.slice(end, this.#judged), 0, true).isOpen
    );
  }

  #extendGrowing(streamBuffer: StreamBuffer, to: number, isLast: boolean): readonly Finding[] {
    if (this.#growing === undefined) return NO_FINDINGS;
    const { isBlock, ...finding } = this.#growing;
    const more = streamBuffer.slice(finding.end, to);
    const end = finding.end + (isBlock ? this.#extendBlock(more, isLast) : endOfWord(more));
    if (this.#growing !== undefined && (isBlock || end === to)) this.#growing = { ...this.#growing, end };
    return end > finding.end ? [{ ...finding, end }] : [];
  }

  #extendBlock(more: string, isLast: boolean): number {
    const { end, isOpen, isCutShort } = readKeyBlock(more, 0, true);
    if (!isOpen) this.#growing = undefined;
    return isLast && isCutShort ? more.length : end;
  }

  #find(streamBuffer: StreamBuffer, { since, to, isLast, undecidedFrom: doubts }: SearchWindow): readonly Finding[] {
    const isWorthIt =
      isLast ||
      this.#isWaiting ||
      doubts !== undefined ||
      this.#open.isLong ||
      (streamBuffer.recentCharacterClasses & VALUE_CLASSES) !== 0 ||
      isAnnounced(streamBuffer, since, to);
    if (!isWorthIt) return NO_FINDINGS;
    const usual = streamBuffer.viewStart(
      to,
      to - this.#lastKey < VIEW_AFTER_KEY_CHARACTERS ? VIEW_AFTER_KEY_CHARACTERS : VIEW_CHARACTERS,
    );
    const offset = doubts === undefined ? usual : Math.min(usual, startWithLabel(streamBuffer, doubts));
    const values = findPrivateDataWithEscapes(streamBuffer.slice(offset, to));
    if (values.length === 0) {
      this.#isWaiting = false;
      return NO_FINDINGS;
    }
    const found = values.map(({ weight, start, end, ...datum }) => ({
      ...datum,
      score: weight,
      start: start + offset,
      end: end + offset,
    }));
    const ended = found.filter(
      // Something stands after it that can't be of it: half a number may pass for a whole one.
      ({ start, end }) =>
        isLast || to - start >= LONG_VALUE_CHARACTERS || ENDS_A_NUMBER.test(streamBuffer.slice(end, to)),
    );
    this.#isWaiting = ended.length < found.length;
    // What ended long ago was judged when more of it was in view, and may be given out; and what the view cuts off is no beginning.
    const isCut = offset > 0 && !isBreak(streamBuffer.codeAt(offset - 1));
    return ended.filter(({ start, end }) => end > since - LONG_VALUE_CHARACTERS && (start > offset || !isCut));
  }

  #forget(to: number): void {
    for (const [start, end] of this.#reported) if (end < to - FORGET_CHARACTERS) this.#reported.delete(start);
  }
}

function endOfWord(text: string): number {
  const end = text.search(WORD_END);
  return end === -1 ? text.length : end;
}

/** In the middle of a word nothing before it says what it is. */
function startWithLabel(streamBuffer: StreamBuffer, place: number): number {
  return isBreak(streamBuffer.codeAt(place - 1)) ? streamBuffer.viewStart(place, LABEL_CHARACTERS) : place;
}

/** Whether words speak of a value, or spell one out. */
function isAnnounced(streamBuffer: StreamBuffer, since: number, to: number): boolean {
  const words = streamBuffer.slice(since - LONG_VALUE_CHARACTERS, to);
  return (
    SPOKEN.test(words) ||
    ((streamBuffer.recentCharacterClasses & CHARACTER_CLASS.assignment) !== 0 && SECRET_NAME_HINT.test(words))
  );
}

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
class PendingValue {
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
    if (to - this.#blockStart > BLOCK_MAX || header?.includes("PRIVATE KEY") === false) this.#blockStart = undefined;
  }

  /** It has proven to be a value, and need not be waited for. */
  confirm(): void {
    this.#blockStart = undefined;
  }
}

/** What stands in no key and no address. */
function isBreak(code: number): boolean {
  return code < 128 ? BREAKS[code] === 1 : code >= 0x250;
}

const BREAKS = new Uint8Array(128).fill(1, 0, 33);
for (const character of "\"'`<>,;(){}[]") BREAKS[character.charCodeAt(0)] = 1;
