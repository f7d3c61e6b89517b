import type { Span, Verdict } from "../../domain/verdict.ts";
import type { Guard } from "../guard.ts";
import { refusedCategories, refuseOutput } from "../refusal.ts";
import { VerdictTally } from "../verdict-tally.ts";

/** An answer is judged about this often; a stride ends with a word where one ends. */
const STRIDE = 16;
/** How much of what was judged stays back, so that words which only later prove to begin something unsafe are still here. */
const MARGIN = 47;
/** How much of the answer is looked at each time: longer than any one thing that can be found and what leads up to it. */
const CONTEXT = 256;
/** A window begins with a word if one begins within this. */
const WORD_REACH = 32;
/** The most that is judged at once when much arrives at once. */
const BATCH = 8192;

/**
 * Follows an answer as it grows and lets go of what is safe. Never keeps back more than STRIDE + MARGIN + 1 = 64 characters.
 * Where it judges depends on the words alone and not on the pieces in which they arrive.
 */
export class OutputWatch {
  readonly #guard: Guard;
  readonly #tellsPlaces: boolean;
  readonly #tally = new VerdictTally();
  /** The end of the answer so far, and where in the answer it begins. */
  #tail = "";
  #tailStart = 0;
  #judged = 0;
  #released = 0;

  /** Places in words that are not the answer's own text, such as thoughts, are told nobody. */
  constructor(guard: Guard, tellsPlaces = true) {
    this.#guard = guard;
    this.#tellsPlaces = tellsPlaces;
  }

  /** What was made of the answer so far. */
  get verdict(): Verdict {
    return this.#tally.verdict();
  }

  /** Takes more of the answer and gives back what can be passed on, or throws the refusal. */
  read(text: string): string {
    this.#tail += text;
    for (let points = this.#nextPoints(); points.length > 0; points = this.#nextPoints())
      this.#judgeAll(points);
    return this.#releaseTo(this.#whole(this.#judged - MARGIN));
  }

  /** Judges what is left and gives it all back. */
  flush(): string {
    if (this.#judged < this.#end) this.#judgeAll([this.#end]);
    return this.#releaseTo(this.#end);
  }

  /** Judges words that belong to the answer but not to its text. */
  judgeAside(text: string): void {
    const verdict = this.#guard.judge(text, "output");
    // Their places would point into a text that they are not part of.
    this.#settle({ ...verdict, spans: [] }, 0, 0);
  }

  get #end(): number {
    return this.#tailStart + this.#tail.length;
  }

  /** The places up to which the answer can be judged now, at most a batch of them. */
  #nextPoints(): number[] {
    const points: number[] = [];
    const last = Math.min(this.#end, this.#judged + BATCH) - STRIDE;
    for (let from = this.#judged; from <= last; ) {
      from = this.#strideEnd(from);
      points.push(from);
    }
    return points;
  }

  #strideEnd(from: number): number {
    const at = from - this.#tailStart;
    for (let end = at + STRIDE; end > at; end -= 1) {
      if (isSpace(this.#tail.charCodeAt(end - 1))) return end + this.#tailStart;
    }
    return this.#whole(from + STRIDE);
  }

  /**
   * Whatever holds a refused passage is refused itself, by the guard's word. So one look at all of it suffices where
   * nothing is refused, and only otherwise is it gone through step by step, as if it had come word by word.
   */
  #judgeAll(points: readonly number[]): void {
    const first = points[0] ?? this.#end;
    const last = points.at(-1) ?? this.#end;
    const whole = this.#judge(this.#windowStart(first), last);
    const steps = whole.action === "refuse" && points.length > 1 ? points : [];
    for (const point of steps) {
      this.#settle(this.#judge(this.#windowStart(point), point), this.#windowStart(point), this.#judged);
      this.#judged = point;
    }
    if (steps.length === 0) this.#settle(whole, this.#windowStart(first), this.#judged);
    this.#judged = last;
  }

  #judge(start: number, end: number): Verdict {
    return this.#guard.judge(this.#tail.slice(start - this.#tailStart, end - this.#tailStart), "output");
  }

  /**
   * A verdict counts for what ends after `since`. The rest was judged before, with more of what led up to it in view:
   * "I cannot say how to" may just have fallen out of the window.
   */
  #settle(verdict: Verdict, offset: number, since: number): void {
    const news = verdict.spans.filter((span) => span.end + offset > since);
    if (verdict.spans.length > 0 && news.length === 0) return;
    if (verdict.action === "refuse") {
      const refused = new Set<string>(refusedCategories(this.#guard.policy, verdict));
      if (verdict.spans.length > 0 && !news.some((span) => refused.has(span.category))) return;
    }
    this.#tally.add({ ...verdict, spans: news }, offset);
    if (verdict.action === "refuse")
      throw refuseOutput(this.#guard.policy, {
        ...verdict,
        spans: this.#tellsPlaces ? placed(news, offset) : [],
      });
  }

  #windowStart(end: number): number {
    const earliest = end - CONTEXT;
    if (earliest <= 0) return 0;
    for (let start = earliest; start < earliest + WORD_REACH; start += 1) {
      if (isSpace(this.#tail.charCodeAt(start - this.#tailStart))) return start;
    }
    return this.#whole(earliest);
  }

  #releaseTo(wanted: number): string {
    const to = Math.max(wanted, this.#released);
    const text = this.#tail.slice(this.#released - this.#tailStart, to - this.#tailStart);
    this.#released = to;
    const needless = Math.min(to, this.#judged - CONTEXT) - this.#tailStart;
    if (needless > 0) {
      this.#tail = this.#tail.slice(needless);
      this.#tailStart += needless;
    }
    return text;
  }

  /** One place further back where this one would split a character in two. */
  #whole(place: number): number {
    const before = this.#tail.charCodeAt(place - this.#tailStart - 1);
    return before >= 0xd800 && before < 0xdc00 ? place - 1 : place;
  }
}

function placed(spans: readonly Span[], offset: number): Span[] {
  return spans.map((span) => ({ ...span, start: span.start + offset, end: span.end + offset }));
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
