import { REDACTABLE_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import type { Guard } from "../policy/guard.ts";
import { outputRefusal } from "../policy/refusal.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { JsonPosition } from "./json-position.ts";
import { OutputRedactions } from "./output-redactions.ts";

/**
 * How much of the examined text is held back while it hints at something unsafe, so that the beginning of that is still
 * held when it is recognised.
 */
const MARGIN_CHARACTERS = 47;
/**
 * The maximum number of held characters even if a detector is undecided, except for a word that may be a value. One
 * less than documented, as a character may be a surrogate pair.
 */
const HELD_CHARACTERS_MAX = 63;
/** The number of characters that stream detectors can look back on. */
const CONTEXT_CHARACTERS = 512;
/** The number of characters of a long part that are examined before they are released, which bounds the memory. */
const SLICE_CHARACTERS = 8192;

const SENTENCE_END = /[.!?:;…。！？]["')\]]?\s+|\n\s*/;

interface TextScreenOptions {
  /** Whether a value is not redacted. */
  readonly isExempt?: (value: string) => boolean;
  /** Whether spans are reported: not for text outside the answer's own text, such as thinking. */
  readonly reportsSpans?: boolean;
  /** Whether words that hint at nothing unsafe leave at once. */
  readonly isHarmlessRequest?: boolean;
  /** The whole text is JSON. JSON stays valid whatever is redacted, also between other text. */
  readonly isJson?: boolean;
}

/**
 * Screens one text of an answer while it grows and releases what is safe. Words that hint at nothing unsafe, in the answer
 * to a harmless request, leave as soon as they are examined. Otherwise at most 64 characters are held back, and more only if values are redacted and a word may
 * prove to be one. Where it examines depends on the text alone, not on the
 * chunks in which it arrives: a complete answer is examined at the same offsets as in a stream.
 */
export class TextScreen {
  readonly #guard: Guard;
  readonly #streamDetectors: readonly StreamDetector[];
  readonly #isExempt: (value: string) => boolean;
  readonly #reportsSpans: boolean;
  readonly #releasesClearText: boolean;
  readonly #tally = new VerdictTally();
  readonly #outputRedactions: OutputRedactions;
  readonly #streamBuffer = new StreamBuffer();
  #examinedTo = 0;
  #released = 0;
  /** The offset up to which text could be released if there were no pause points. */
  #releasableTo = 0;
  /** Offsets at which something else must be released first. */
  readonly #pausePoints: number[] = [];
  /** Whether the text so far was examined as complete. */
  #isClosed = true;
  /** What a part read in pieces releases so far, and how many characters of it are examined but not released. */
  #releasedOfPart = "";
  #unreleasedOfPart = 0;

  constructor(guard: Guard, streamDetectors: readonly StreamDetector[], options: TextScreenOptions = {}) {
    this.#guard = guard;
    this.#streamDetectors = streamDetectors;
    this.#isExempt = options.isExempt ?? (() => false);
    this.#reportsSpans = options.reportsSpans ?? true;
    this.#releasesClearText = options.isHarmlessRequest === true && !actsOnValues(guard);
    this.#outputRedactions = new OutputRedactions(guard.redacts ? new JsonPosition(options.isJson) : undefined);
  }

  /** The verdict on the text so far. */
  get verdict(): Verdict {
    return this.#tally.verdict();
  }

  /** The number of redacted values by kind. */
  get redactedCounts(): ReadonlyMap<string, number> {
    return this.#outputRedactions.counts;
  }

  get isHolding(): boolean {
    return this.#released < this.#streamBuffer.end;
  }

  /** Whether everything up to the next pause point was released. */
  get isPaused(): boolean {
    return this.#pausePoints[0] === this.#released;
  }

  /** Releases nothing beyond the current end until `resume`. Returns false if there is a pause point already. */
  addPausePoint(): boolean {
    if (this.#pausePoints.at(-1) === this.#streamBuffer.end) return false;
    this.#pausePoints.push(this.#streamBuffer.end);
    return true;
  }

  /** Whether the text ends within something that may be a value to redact. */
  get mayEndInValue(): boolean {
    return this.#guard.redacts && this.#undecidedFrom() < this.#streamBuffer.end;
  }

  /**
   * Moves the pause points before text that may continue, so that it stays in one piece, and releases what comes before
   * it.
   */
  movePausePointsBack(): string {
    this.#examineRest();
    const from = this.#undecidedFrom();
    for (const [index, point] of this.#pausePoints.entries()) this.#pausePoints[index] = Math.min(point, from);
    this.#releasableTo = Math.max(this.#releasableTo, from);
    return this.#releaseInSlices();
  }

  /** The end of the last complete sentence or line, as a number or an address may consist of several words. */
  #undecidedFrom(): number {
    const held = this.#streamBuffer.slice(this.#released, this.#streamBuffer.end);
    const over = held.length - (held.split(SENTENCE_END).at(-1) ?? "").length;
    return this.#decidedBefore(this.#released + over);
  }

  /** Removes the pause point and releases up to the next one. */
  resume(): string {
    this.#pausePoints.shift();
    return this.#releaseInSlices();
  }

  /**
   * Reads text and returns what can be sent, up to the next pause point; throws the refusal. A long part may come in
   * pieces: while it `continues`, nothing is returned, as a refusal holds back all of the part.
   */
  read(text: string, continues = false): string {
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      const piece = text.length <= SLICE_CHARACTERS ? text : text.slice(at, at + SLICE_CHARACTERS);
      this.#streamBuffer.append(piece);
      this.#isClosed = false;
      while (this.#examinedTo + STRIDE <= this.#streamBuffer.end)
        this.#examine(this.#streamBuffer.strideEnd(this.#examinedTo), false);
      this.#unreleasedOfPart += piece.length;
      if (this.#unreleasedOfPart >= SLICE_CHARACTERS) this.#releaseSlice();
    }
    if (continues) return "";
    if (this.#unreleasedOfPart > 0) this.#releaseSlice();
    const released = this.#releasedOfPart;
    this.#releasedOfPart = "";
    return released;
  }

  #releaseSlice(): void {
    this.#releasableTo = Math.max(this.#releasableTo, this.#safeTo());
    this.#releasedOfPart += this.#releaseInSlices();
    this.#unreleasedOfPart = 0;
  }

  /** Examines what is left and releases everything, up to the next pause point. */
  flush(): string {
    this.#examineRest();
    this.#releasableTo = this.#streamBuffer.end;
    return this.#release(this.#releasableTo);
  }

  #examineRest(): void {
    if (!this.#isClosed) this.#examine(this.#streamBuffer.end, true);
    this.#isClosed = true;
  }

  #examine(to: number, isLast: boolean): void {
    this.#streamBuffer.startStride(this.#examinedTo, to);
    this.#examinedTo = to;
    for (const streamDetector of this.#streamDetectors) {
      const streamDetection = streamDetector.read(this.#streamBuffer, to, isLast);
      if (streamDetection !== undefined) this.#applyPolicy(streamDetection);
    }
    this.#streamBuffer.dropBefore(Math.min(this.#released, to - CONTEXT_CHARACTERS));
  }

  #applyPolicy(streamDetection: StreamDetection): void {
    const detected = this.#guard.applyPolicy(streamDetection);
    const verdict = detected.flagged ? this.#guard.applyPolicy(this.#atCharacterBoundaries(streamDetection)) : detected;
    this.#tally.add(verdict, 0);
    if (verdict.action === "refuse")
      throw outputRefusal(this.#guard.policy, this.#reportsSpans ? verdict : { ...verdict, spans: [] });
    if (verdict.action === "redact")
      this.#outputRedactions.collect(this.#guard.policy, verdict, ({ start, end }) =>
        this.#isExempt(this.#streamBuffer.slice(start, end)),
      );
  }

  #atCharacterBoundaries({ findings, normalised }: StreamDetection): StreamDetection {
    const moved = findings.map((finding) => {
      const start = this.#streamBuffer.characterBoundary(finding.start);
      const end = this.#streamBuffer.characterBoundary(finding.end);
      return start === finding.start && end === finding.end ? finding : { ...finding, start, end };
    });
    return { findings: moved, normalised };
  }

  /** The offset up to which all detectors have decided. */
  #safeTo(): number {
    let safe = this.#examinedTo - MARGIN_CHARACTERS;
    for (const { decidedTo } of this.#streamDetectors) safe = Math.min(safe, decidedTo);
    if (this.#releasesClearText) safe = Math.max(safe, this.#clearTo());
    const to = this.#streamBuffer.characterBoundary(Math.max(safe, this.#streamBuffer.end - HELD_CHARACTERS_MAX));
    return this.#guard.redacts ? this.#decidedBefore(to) : to;
  }

  #clearTo(): number {
    let clear = this.#examinedTo;
    for (const { clearTo } of this.#streamDetectors) {
      clear = Math.min(clear, clearTo ?? 0);
      if (clear <= this.#releasableTo) break;
    }
    return clear;
  }

  /** The given offset, or an earlier one where something begins that may be a value. */
  #decidedBefore(place: number): number {
    let to = place;
    for (const { undecidedFrom } of this.#streamDetectors) to = Math.min(to, undecidedFrom ?? to);
    return Math.max(to, this.#released);
  }

  /** After a pause point much may be released at once; a slice at a time keeps the list of its values short. */
  #releaseInSlices(): string {
    let text = "";
    for (let to = this.#released + SLICE_CHARACTERS; to < this.#releasableTo; to += SLICE_CHARACTERS)
      text += this.#release(to);
    return text + this.#release(this.#releasableTo);
  }

  #release(wanted: number): string {
    const to = Math.min(wanted, this.#pausePoints[0] ?? wanted);
    const text = this.#outputRedactions.leaveOut(this.#streamBuffer.slice(this.#released, to), this.#released);
    this.#released = to;
    return text;
  }
}

/** Whether a value may be cut out or refused: it may begin with any word. */
function actsOnValues({ redacts, policy }: Guard): boolean {
  return redacts || REDACTABLE_CATEGORIES.some((category) => policy[category].refuseAt !== undefined);
}
