import type { TextRange } from "../text-range.ts";

interface State {
  readonly next: Map<number, number>;
  /** The state of the longest proper suffix that begins a phrase. */
  fallback: number;
  /** The length of the phrase that ends in this state; 0: none does. */
  length: number;
  /** The state of the longest phrase that ends here, reached by fallbacks; 0: none does. */
  ending: number;
}

/** Whether a phrase may match from `start` to `end`. */
type MatchFilter = (text: string, start: number, end: number) => boolean;

/** Finds many phrases in one pass over a text (Aho-Corasick). */
export class PhraseFinder {
  readonly #states: State[] = [newState()];

  constructor(phrases: readonly string[]) {
    for (const phrase of phrases) this.#add(phrase);
    this.#linkFallbacks();
  }

  /** The ranges of all matches, ordered by their ends. Overlapping matches are merged. */
  find(text: string, matchFilter: MatchFilter = () => true): TextRange[] {
    const found: { start: number; end: number }[] = [];
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = this.#step(state, text.charCodeAt(at));
      const length = this.#lengthAt(state, (length) => matchFilter(text, at + 1 - length, at + 1));
      if (length === 0) continue;
      const start = at + 1 - length;
      let joined = { start, end: at + 1 };
      for (let last = found.at(-1); last !== undefined && last.end >= joined.start; last = found.at(-1)) {
        joined = { start: Math.min(last.start, joined.start), end: joined.end };
        found.pop();
      }
      found.push(joined);
    }
    return found;
  }

  /** The length of the longest accepted phrase that ends in this state; 0: none does. */
  #lengthAt(state: number, accepts: (length: number) => boolean): number {
    let ending = this.#states[state]?.ending ?? 0;
    while (ending !== 0) {
      const { length = 0, fallback = 0 } = this.#states[ending] ?? {};
      if (accepts(length)) return length;
      ending = this.#states[fallback]?.ending ?? 0;
    }
    return 0;
  }

  #add(phrase: string): void {
    let state = 0;
    for (let at = 0; at < phrase.length; at += 1) {
      const code = phrase.charCodeAt(at);
      let next = this.#states[state]?.next.get(code);
      if (next === undefined) {
        next = this.#states.push(newState()) - 1;
        this.#states[state]?.next.set(code, next);
      }
      state = next;
    }
    const last = this.#states[state];
    if (last === undefined || state === 0) return;
    last.length = phrase.length;
    last.ending = state;
  }

  /** Breadth first, as the fallback of a state is always nearer to the root. */
  #linkFallbacks(): void {
    const queue = [...(this.#states[0]?.next.values() ?? [])];
    for (const state of queue) {
      for (const [code, next] of this.#states[state]?.next ?? []) {
        const target = this.#states[next];
        if (target === undefined) continue;
        target.fallback = this.#step(this.#states[state]?.fallback ?? 0, code);
        if (target.length === 0) target.ending = this.#states[target.fallback]?.ending ?? 0;
        queue.push(next);
      }
    }
  }

  #step(from: number, code: number): number {
    for (let state = from; ; state = this.#states[state]?.fallback ?? 0) {
      const next = this.#states[state]?.next.get(code);
      if (next !== undefined) return next;
      if (state === 0) return 0;
    }
  }
}

function newState(): State {
  return { next: new Map(), fallback: 0, length: 0, ending: 0 };
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that put no spaces between words, or that attach endings which are words themselves. */
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a range neither begins nor ends inside a word. */
export function areWholeWords(text: string, start: number, end: number): boolean {
  return !isWithinWord(text, start) && !isWithinWord(text, end);
}

function isWithinWord(text: string, place: number): boolean {
  if (place === 0 || place === text.length) return false;
  return isSpacedWordCharacter(characterBefore(text, place)) && isSpacedWordCharacter(characterAt(text, place));
}

function isSpacedWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character) && !UNSPACED_SCRIPT.test(character);
}

function characterAt(text: string, place: number): string {
  return String.fromCodePoint(text.codePointAt(place) ?? 0);
}

function characterBefore(text: string, place: number): string {
  const isPair = place > 1 && (text.codePointAt(place - 2) ?? 0) > 0xffff;
  return characterAt(text, isPair ? place - 2 : place - 1);
}
