import type { Verdict } from "@trunkline/core/verdict.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import type { Guard } from "../policy/guard.ts";
import { outputRefusal } from "../policy/refusal.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import type { Resumable } from "../resumable.ts";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { JsonPosition } from "./json-position.ts";
import { OutputRedactions } from "./output-redactions.ts";

/** How much of what was judged stays back, so that words which only later prove to begin something unsafe are still here. */
const MARGIN_CHARACTERS = 47;
/** What is never exceeded, whoever has not made up his mind yet, but for a word that may be a value. One less than is said, as a character may be two. */
const HELD_CHARACTERS_MAX = 63;
/** How much of the answer those who follow it can look back on. */
const CONTEXT_CHARACTERS = 512;
/** So many strides are judged in one go; in a longer part, others may have their turn after each. */
const STRIDES_PER_STEP = 8;
/** A text of so many characters is read without a stop. */
export const SHORT_TEXT_CHARACTERS = STRIDE * STRIDES_PER_STEP;
/** So much is read or given back in one go, so that what is kept of a longer part does not grow with it. */
const SLICE_CHARACTERS = 8192;

const SENTENCE_END = /[.!?:;…。！？]["')\]]?\s+|\n\s*/;

interface TextScreenOptions {
  /** Whether a value stays that would be taken out otherwise. */
  readonly isExempt?: (value: string) => boolean;
  /** Places in words that are not the answer's own text, such as thoughts, are told nobody. */
  readonly reportsSpans?: boolean;
  /** All of the text is JSON. What is stays so whatever is taken out of it, also between other words. */
  readonly isJson?: boolean;
}

/**
 * Follows one text of an answer as it grows and lets go of what is safe. Keeps back 64 characters at the most, and more only
 * where values are taken out and a word may prove to be one.
 * Where it judges depends on the words alone and not on the pieces in which they arrive: a whole answer is judged at the
 * very places at which the same one is judged in a stream.
 */
export class TextScreen {
  readonly #guard: Guard;
  readonly #streamDetectors: readonly StreamDetector[];
  readonly #isExempt: (value: string) => boolean;
  readonly #reportsSpans: boolean;
  readonly #tally = new VerdictTally();
  readonly #outputRedactions: OutputRedactions;
  readonly #streamBuffer = new StreamBuffer();
  #judged = 0;
  #released = 0;
  /** Up to where it could be passed on, were it not for the stops. */
  #releasableTo = 0;
  /** Places at which something else has its turn first. */
  readonly #pausePoints: number[] = [];
  /** Whether what is here was judged as the end of the text. */
  #isClosed = true;

  constructor(guard: Guard, streamDetectors: readonly StreamDetector[], terms: TextScreenOptions = {}) {
    this.#guard = guard;
    this.#streamDetectors = streamDetectors;
    this.#isExempt = terms.isExempt ?? (() => false);
    this.#reportsSpans = terms.reportsSpans ?? true;
    this.#outputRedactions = new OutputRedactions(guard.redacts ? new JsonPosition(terms.isJson) : undefined);
  }

  /** What was made of the text so far. */
  get verdict(): Verdict {
    return this.#tally.verdict();
  }

  /** How many values of each kind were taken out of it. */
  get redactedCounts(): ReadonlyMap<string, number> {
    return this.#outputRedactions.counts;
  }

  get isHolding(): boolean {
    return this.#released < this.#streamBuffer.end;
  }

  /** Whether all up to the next stop was passed on. */
  get isPaused(): boolean {
    return this.#pausePoints[0] === this.#released;
  }

  /** Passes nothing on from here, the end of what was read, until told to go on. false: there is a stop here. */
  addPausePoint(): boolean {
    if (this.#pausePoints.at(-1) === this.#streamBuffer.end) return false;
    this.#pausePoints.push(this.#streamBuffer.end);
    return true;
  }

  /** Whether the words end in the middle of something that may be a value to be taken out. */
  get mayEndInValue(): boolean {
    return this.#guard.redacts && this.#undecidedFrom() < this.#streamBuffer.end;
  }

  /** Moves the stops before what may go on, so that it stays in one piece, and gives back what stands before it. */
  movePausePointsBack(): Resumable<string> {
    this.#judgeRest();
    const from = this.#undecidedFrom();
    for (const [index, stop] of this.#pausePoints.entries()) this.#pausePoints[index] = Math.min(stop, from);
    this.#releasableTo = Math.max(this.#releasableTo, from);
    return this.#releaseAll();
  }

  /** Behind the last sentence or line that is over; a number or an address may be of several words. */
  #undecidedFrom(): number {
    const held = this.#streamBuffer.slice(this.#released, this.#streamBuffer.end);
    const over = held.length - (held.split(SENTENCE_END).at(-1) ?? "").length;
    return this.#decidedBefore(this.#released + over);
  }

  /** Leaves the stop and gives back what can be passed on up to the next one. */
  resume(): Resumable<string> {
    this.#pausePoints.shift();
    return this.#releaseAll();
  }

  /** Takes more of the text and gives back what can be passed on, up to the next stop, or throws the refusal. */
  *read(text: string): Resumable<string> {
    let safe = "";
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS)
      safe += yield* this.#readSlice(text.slice(at, at + SLICE_CHARACTERS));
    return safe;
  }

  *#readSlice(text: string): Resumable<string> {
    this.#append(text);
    for (let strides = 1; this.#judgeStride(); strides += 1) if (strides >= STRIDES_PER_STEP) yield;
    this.#extendReleasable();
    return yield* this.#releaseAll();
  }

  /** The same of a few words, at once. */
  readShort(text: string): string {
    if (text === "") return "";
    this.#append(text);
    while (this.#judgeStride());
    this.#extendReleasable();
    return this.#release(this.#releasableTo);
  }

  #append(text: string): void {
    this.#streamBuffer.append(text);
    this.#isClosed = false;
  }

  /** Whether there was another one. */
  #judgeStride(): boolean {
    if (this.#judged + STRIDE > this.#streamBuffer.end) return false;
    this.#judge(this.#streamBuffer.strideEnd(this.#judged), false);
    return true;
  }

  #extendReleasable(): void {
    this.#releasableTo = Math.max(this.#releasableTo, this.#safeTo());
  }

  /** Judges what is left and gives it all back, up to the next stop. */
  flush(): string {
    this.#judgeRest();
    this.#releasableTo = this.#streamBuffer.end;
    return this.#release(this.#releasableTo);
  }

  #judgeRest(): void {
    if (!this.#isClosed) this.#judge(this.#streamBuffer.end, true);
    this.#isClosed = true;
  }

  #judge(to: number, isLast: boolean): void {
    this.#streamBuffer.startStride(this.#judged, to);
    this.#judged = to;
    for (const streamDetector of this.#streamDetectors) {
      const streamDetection = streamDetector.read(this.#streamBuffer, to, isLast);
      if (streamDetection !== undefined) this.#applyPolicy(streamDetection);
    }
    this.#streamBuffer.dropBefore(Math.min(this.#released, to - CONTEXT_CHARACTERS));
  }

  #applyPolicy(streamDetection: StreamDetection): void {
    const findings = streamDetection.findings.map((finding) => {
      const start = this.#streamBuffer.characterBoundary(finding.start);
      const end = this.#streamBuffer.characterBoundary(finding.end);
      return start === finding.start && end === finding.end ? finding : { ...finding, start, end };
    });
    const verdict = this.#guard.applyPolicy({ ...streamDetection, findings });
    this.#tally.add(verdict, 0);
    if (verdict.action === "refuse")
      throw outputRefusal(this.#guard.policy, this.#reportsSpans ? verdict : { ...verdict, spans: [] });
    if (verdict.action === "redact")
      this.#outputRedactions.collect(this.#guard.policy, verdict, ({ start, end }) =>
        this.#isExempt(this.#streamBuffer.slice(start, end)),
      );
  }

  /** Up to where everybody has made up his mind. */
  #safeTo(): number {
    let safe = this.#judged - MARGIN_CHARACTERS;
    for (const { decidedTo: judged } of this.#streamDetectors) safe = Math.min(safe, judged);
    const to = this.#streamBuffer.characterBoundary(Math.max(safe, this.#streamBuffer.end - HELD_CHARACTERS_MAX));
    return this.#guard.redacts ? this.#decidedBefore(to) : to;
  }

  /** That place, or where something before it begins that may be a value. */
  #decidedBefore(place: number): number {
    let to = place;
    for (const { undecidedFrom: doubtsFrom } of this.#streamDetectors) to = Math.min(to, doubtsFrom ?? to);
    return Math.max(to, this.#released);
  }

  *#releaseAll(): Resumable<string> {
    let text = "";
    for (let to = this.#released + SLICE_CHARACTERS; to < this.#releasableTo; to += SLICE_CHARACTERS) {
      text += this.#release(to);
      yield;
    }
    return text + this.#release(this.#releasableTo);
  }

  #release(wanted: number): string {
    const to = Math.min(wanted, this.#pausePoints[0] ?? wanted);
    const text = this.#outputRedactions.leaveOut(this.#streamBuffer.slice(this.#released, to), this.#released);
    this.#released = to;
    return text;
  }
}
