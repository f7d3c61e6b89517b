/** How far back a repetition is looked for, and the most that is held back of a text until it is clear how it joins. */
const LOOKBACK_CHARACTERS = 400;
/** A repetition of so many characters is no coincidence. */
const OVERLAP_MIN = 12;
/**
 * So much of a text's very beginning, said again where it broke off, means that it is told anew. What begins alike for
 * less than that, as one loop does after another, may well be new. All of a shorter text is an overlap.
 */
const RESTART_MIN = 100;
/** Whether it is one is looked at when it is so many times as long. */
const RECHECK_FACTOR = 2;
/** A repetition of whole words, where the text so far ends with a letter. */
const WORD_OVERLAP_MIN = 4;

const LETTER = /\p{L}/u;
const TWO_LETTERS = /\p{L}{2}/u;
const WITHIN_WORD = /[\p{L}\p{N}]/u;

/**
 * Where a second text goes on with a first one that broke off. Models like to repeat the last words, or to begin anew:
 * what is said twice is left out. Its first characters are held back until it is clear how they join.
 */
export class OverlapTrimmer {
  readonly #soFar: string;
  readonly #tail: string;
  /** The places in the tail from which on everything up to its end may be repeated, in order. */
  #starts: number[];
  /** The longest end of the text so far that the new text has begun with. */
  #overlap = 0;
  /** It has begun with several of them: then the text goes round in circles by itself. */
  #isPeriodic = false;
  /** How much of the very beginning is repeated. It grows as long as `#restarts`. */
  #repeated = 0;
  #restarts: boolean;
  #isRestart: boolean;
  #nextCheck = RESTART_MIN;
  /** How much of the new text was read. */
  #read = 0;
  /** What of it is held back: its end. */
  #held = "";
  #isJoined = false;

  constructor(soFar: string) {
    this.#soFar = soFar;
    this.#tail = soFar.slice(-LOOKBACK_CHARACTERS);
    this.#restarts = soFar !== "";
    // After blanks alone the answer is asked for anew: whatever of them it begins with is there already.
    this.#isRestart = soFar.trim() === "";
    this.#starts = this.#isRestart ? [] : Array.from({ length: this.#tail.length }, (_, at) => at);
  }

  /** Takes the next piece of the new text and gives back what of it is new and certain. */
  push(text: string): string {
    if (this.#isJoined) return text;
    let next = 0;
    while (next < text.length && this.#isOpen) this.#readOne(text.charAt(next++));
    this.#held += text.slice(0, next);
    if (!this.#isOpen) return this.#join() + text.slice(next);
    // From here on it is only compared: what repeats the beginning is never given out.
    if (this.#starts.length === 0 && this.#isRestart) this.#held = "";
    return "";
  }

  /** The new text is complete: what is held back joins as far as it is known how. */
  end(): string {
    return this.#isJoined ? "" : this.#join();
  }

  /** Whether what comes next can still show that something is repeated. */
  get #isOpen(): boolean {
    return this.#starts.length > 0 || this.#restarts;
  }

  #readOne(character: string): void {
    const at = this.#read++;
    this.#starts = this.#starts.filter((start) => this.#tail.charAt(start + at) === character);
    // Those that began earlier end later: the last one to end is the longest.
    if (this.#starts.at(-1) === this.#tail.length - at - 1) {
      this.#starts.pop();
      this.#isPeriodic ||= this.#overlap >= OVERLAP_MIN;
      this.#overlap = at + 1;
    }
    if (this.#restarts) this.#compareBeginning(at, character);
  }

  #compareBeginning(at: number, character: string): void {
    this.#restarts = this.#soFar.charAt(at) === character;
    if (this.#restarts) this.#repeated++;
    if (this.#repeated === this.#nextCheck || !this.#restarts) {
      this.#nextCheck *= RECHECK_FACTOR;
      this.#isRestart ||= this.#isBeginning(this.#repeated);
    }
    if (this.#repeated === this.#soFar.length) this.#restarts = false;
  }

  /** Whether so much of the beginning is no coincidence when it is said again: there is much of it, or it is there but once. */
  #isBeginning(length: number): boolean {
    if (length < RESTART_MIN) return false;
    return length >= LOOKBACK_CHARACTERS || this.#soFar.indexOf(this.#soFar.slice(0, length), 1) === -1;
  }

  #join(): string {
    this.#isJoined = true;
    const overlap = this.#isConvincing(this.#overlap) ? this.#overlap : 0;
    const restart = this.#isRestart ? this.#repeated : 0;
    const heldFrom = this.#read - this.#held.length;
    return this.#held.slice(Math.max(0, overlap - heldFrom, restart - heldFrom));
  }

  #isConvincing(length: number): boolean {
    const repeated = this.#tail.slice(this.#tail.length - length);
    if (length === this.#soFar.length) return length >= OVERLAP_MIN || TWO_LETTERS.test(repeated);
    if (length < WORD_OVERLAP_MIN || this.#isPeriodic) return false;
    // What is there more than once, like the rows of a table, is the text's own way: it may well come once more.
    if (this.#soFar.indexOf(repeated) < this.#soFar.length - length) return false;
    if (length >= OVERLAP_MIN) return true;
    // A word that was cut off, or just ended, is not gone on with by itself: it is said again.
    const before = this.#tail.charAt(this.#tail.length - length - 1);
    return LETTER.test(repeated.charAt(0)) && LETTER.test(repeated.charAt(length - 1)) && !WITHIN_WORD.test(before);
  }
}
