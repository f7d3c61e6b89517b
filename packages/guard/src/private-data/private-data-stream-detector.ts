import type { Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { CHARACTER_CLASS, type StreamBuffer } from "../stream-buffer.ts";
import { findPrivateData, findWithEscapes } from "./find-private-data.ts";
import { hasKeyPrefix, LONGEST_KEY_PREFIX } from "./secrets/api-keys.ts";
import { SECRET_NAME_HINT } from "./secrets/credentials.ts";
import { readKeyBlock } from "./secrets/private-keys.ts";

/** The number of characters searched for a value that has just ended. */
const VIEW_CHARACTERS = 160;
/** A key may be followed by its secret half, which nothing else identifies. */
const VIEW_AFTER_KEY_CHARACTERS = 256;
/** A value this long is reported before its end is known, while its beginning is still held back. */
const LONG_VALUE_CHARACTERS = 32;
/** Nearly every value has one of these. */
const VALUE_CLASSES = CHARACTER_CLASS.digit | CHARACTER_CLASS.at;
/** The number of reported ranges after which those out of view are dropped. */
const REPORTED_MAX = 64;
const FORGET_CHARACTERS = 1_024;
/** As much as the buffer keeps. */
const CONTEXT_CHARACTERS = 512;

/** A character that neither belongs to a number nor separates parts of one. */
const ENDS_A_NUMBER = /[^\sA-Z\d_().+/\-\uff08-\uff19]/;
const SPOKEN = /passw|passphrase|ennwort|ontrase| dot |[([{<] ?at ?[)\]}>]/i;
/** The number of characters before a pending value that are searched for its label. */
const LABEL_CHARACTERS = 96;

/** Where a value ends whose beginning is out of view: keys are one word. */
const WORD_END = /[^\w+/=.~-]/;

const NO_FINDINGS: readonly Finding[] = [];

/** The delimiters of private keys. */
const DASHES = "-----";

/** One search. */
interface SearchWindow {
  readonly since: number;
  readonly to: number;
  readonly isLast: boolean;
  /** The start of a pending value. */
  readonly undecidedFrom: number | undefined;
}

/** Finds keys and personal data in an answer while it grows. */
export class PrivateDataStreamDetector implements StreamDetector {
  #decidedTo = 0;
  /** The offset up to which values were searched. */
  #searchedTo = 0;
  /** A value that reached the end of the text and may continue. */
  #growing: (Finding & { readonly isBlock: boolean }) | undefined;
  /** Whether a value was found whose end is not known yet. */
  #isWaiting = false;
  /** The end of the last reported key. */
  #lastKey = Number.NEGATIVE_INFINITY;
  readonly #pending = new PendingValue();
  /** The reported ends, by start. */
  readonly #reported = new Map<number, number>();

  get decidedTo(): number {
    return this.#decidedTo;
  }

  /** Where a value is to be cut out or refused, the text before it waits for it anyway. */
  get clearTo(): number {
    return this.#decidedTo;
  }

  get undecidedFrom(): number | undefined {
    if (this.#growing === undefined) return this.#pending.start;
    return this.#growing.isBlock ? this.#growing.end : this.#pending.blockStart;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.#decidedTo;
    this.#decidedTo = to;
    const pendingBefore = this.#pending.start;
    this.#pending.read(streamBuffer, since, to);
    const undecidedFrom = pendingBefore ?? this.#pending.start;
    const grown = this.#extendGrowing(streamBuffer, to, isLast);
    const isDue = isLast || this.#isWaiting || this.#pending.isDue || this.#growsInView(to);
    const found = isDue
      ? this.#find(streamBuffer, { since: this.#searchedTo, to, isLast, undecidedFrom })
      : NO_FINDINGS;
    if (isDue) this.#searchedTo = to;
    // As in nearly every stride.
    if (grown.length === 0 && found.length === 0 && this.#growing === undefined) return undefined;
    const findings = grown.length === 0 ? found : [...grown, ...found];
    this.#noteGrowing(streamBuffer, findings);
    if (findings.length === 0) return undefined;
    const newFindings = findings.filter(({ start, end }) => (this.#reported.get(start) ?? 0) < end);
    if (newFindings.length === 0) return undefined;
    for (const { kind, start, end } of newFindings) {
      this.#reported.set(start, end);
      if (kind === "api_key") this.#lastKey = end;
    }
    if (this.#reported.size > REPORTED_MAX) this.#forget(to);
    return { findings: newFindings, normalised: [] };
  }

  /** A new search may show that the value has ended. */
  #growsInView(to: number): boolean {
    return this.#growing !== undefined && to - this.#growing.start < CONTEXT_CHARACTERS;
  }

  #noteGrowing(streamBuffer: StreamBuffer, findings: readonly Finding[]): void {
    // A block continues by lines, whatever else its last line holds.
    const block = findings.findLast((finding) => this.#isOpenBlock(streamBuffer, finding));
    const last = findings.at(-1);
    if (block !== undefined) this.#growing = { ...block, isBlock: true };
    else if (this.#growing?.isBlock === true) return;
    else if (last?.end !== this.#decidedTo || last.kind === "private_key") this.#growing = undefined;
    else if (last.start !== this.#growing?.start) this.#growing = { ...last, isBlock: false };
    if (this.#growing?.isBlock === true) this.#pending.confirm();
  }

  #isOpenBlock(streamBuffer: StreamBuffer, { kind, start, end }: Finding): boolean {
    if (kind !== "private_key" || streamBuffer.slice(end - DASHES.length, end) === DASHES) return false;
    return (
      streamBuffer.slice(start, start + DASHES.length) === DASHES &&
      readKeyBlock(streamBuffer.slice(end, this.#decidedTo), 0, true).isOpen
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

  #find(streamBuffer: StreamBuffer, { since, to, isLast, undecidedFrom }: SearchWindow): readonly Finding[] {
    const isWorthIt =
      isLast ||
      this.#isWaiting ||
      undecidedFrom !== undefined ||
      this.#pending.isLong ||
      (streamBuffer.recentCharacterClasses & VALUE_CLASSES) !== 0 ||
      isAnnounced(streamBuffer, since, to);
    if (!isWorthIt) return NO_FINDINGS;
    const usual = streamBuffer.viewStart(
      to,
      to - this.#lastKey < VIEW_AFTER_KEY_CHARACTERS ? VIEW_AFTER_KEY_CHARACTERS : VIEW_CHARACTERS,
    );
    const offset = undecidedFrom === undefined ? usual : Math.min(usual, startWithLabel(streamBuffer, undecidedFrom));
    const values = findWithEscapes(findPrivateData, streamBuffer.slice(offset, to));
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
      // A character follows that cannot be part of it: half of a number may look like a whole one.
      ({ start, end }) =>
        isLast || to - start >= LONG_VALUE_CHARACTERS || ENDS_A_NUMBER.test(streamBuffer.slice(end, to)),
    );
    this.#isWaiting = ended.length < found.length;
    // A value that ended long ago was examined with more context and may have been sent. A start cut off by the view is
    // not a start.
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

/** The start of the view before a value with its label. In the middle of a word there is no label. */
function startWithLabel(streamBuffer: StreamBuffer, place: number): number {
  return isBreak(streamBuffer.codeAt(place - 1)) ? streamBuffer.viewStart(place, LABEL_CHARACTERS) : place;
}

/** Whether the text mentions a value or spells one out. */
function isAnnounced(streamBuffer: StreamBuffer, since: number, to: number): boolean {
  const words = streamBuffer.slice(since - LONG_VALUE_CHARACTERS, to);
  return (
    SPOKEN.test(words) ||
    ((streamBuffer.recentCharacterClasses & CHARACTER_CLASS.assignment) !== 0 && SECRET_NAME_HINT.test(words))
  );
}

/** No key is shorter. */
const KEY_MIN = 16;
/** Shorter words are held back anyway. */
const WORD_MIN = 32;
/** The maximum length of an email address, which may stand at the end of a longer word. */
const WORD_MAX = 128;
/** A key that is not confirmed within this length is none. This is within the view of the stream detectors. */
const KEY_MAX = 448;
/** Up to this length a word is searched with every stride, as the text before it may be its label. */
const ALWAYS_CHECKED_CHARACTERS = 192;
/** Beyond that it is searched this often; no part of a value inside it has been sent by then. */
const RECHECK_CHARACTERS = 64;
/** Except for longer values, which have one of these characters: after it every stride is searched. */
const VALUE_SEPARATOR = /[@:=.~\\]/;
const VALUE_SEPARATOR_REACH = 160;
/** The number of characters within which a private key is recognised. */
const BLOCK_MAX = 256;
const HEADER = "-----BEGIN ";
const HEADER_LINE = /^-----BEGIN [A-Z0-9 ]{0,64}-----/;

/**
 * The end of a growing text that only later text can confirm as a value: a long word, or the first lines of a private
 * key. No part of it may be sent before.
 */
class PendingValue {
  #word = 0;
  /** Up to where a word with a key prefix may prove to be a key. */
  #keyPossibleUntil = 0;
  #separatorUntil = 0;
  #isDue = true;
  #isLong = false;
  #blockStart: number | undefined;
  #to = 0;

  /** Where the pending value begins; undefined: there is none. */
  get start(): number | undefined {
    if (this.#blockStart !== undefined) return this.#blockStart;
    if (this.#to - this.#word < WORD_MIN) return undefined;
    return Math.max(this.#word, this.#to - (this.#to < this.#keyPossibleUntil ? KEY_MAX : WORD_MAX));
  }

  /** Where the first lines of a private key begin, if there are any. */
  get blockStart(): number | undefined {
    return this.#blockStart;
  }

  /** Whether the last word is as long as a key, complete or not. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /** Whether a search is due. */
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
      this.#keyPossibleUntil = 0;
    } else if (to - this.#word >= WORD_MIN) {
      // The whole word at first, then only what is new.
      const isNew = from - this.#word < WORD_MIN;
      const since = isNew ? this.#word : from - LONGEST_KEY_PREFIX;
      if (hasKeyPrefix(streamBuffer.slice(since - 1, to), since === 0 ? 0 : 1)) this.#keyPossibleUntil = to + KEY_MAX;
      if (VALUE_SEPARATOR.test(streamBuffer.slice(from, to))) this.#separatorUntil = to + VALUE_SEPARATOR_REACH;
      this.#isDue =
        to - this.#word < ALWAYS_CHECKED_CHARACTERS ||
        to < Math.max(this.#keyPossibleUntil, this.#separatorUntil) ||
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

  /** The value was confirmed and is no longer pending. */
  confirm(): void {
    this.#blockStart = undefined;
  }
}

/** Characters that occur in no key and no address. */
function isBreak(code: number): boolean {
  return code < 128 ? BREAKS[code] === 1 : code >= 0x250;
}

const BREAKS = new Uint8Array(128).fill(1, 0, 33);
for (const character of "\"'`<>,;(){}[]") BREAKS[character.charCodeAt(0)] = 1;
