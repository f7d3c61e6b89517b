/** How far back the trimmer looks for a repetition, and how much of the new text it holds back at most. */
const LOOKBACK_CHARACTERS = 400;
/** A repetition of this many characters is not a coincidence. */
const OVERLAP_MIN = 12;
/**
 * If the new text repeats this much of the first text's beginning, the model has started again. With less, as when one
 * loop follows another, the text may well be new. A repetition of all of a shorter text is an overlap.
 */
const RESTART_MIN = 100;
/** The restart check runs again each time the repetition has grown by this factor. */
const RECHECK_FACTOR = 2;
/** The shortest repetition of whole words that counts, where the text so far ends with a letter. */
const WORD_OVERLAP_MIN = 4;

const LETTER = /\p{L}/u;
const TWO_LETTERS = /\p{L}{2}/u;
const WITHIN_WORD = /[\p{L}\p{N}]/u;

/**
 * Joins a second text to a first one that broke off. Models tend to repeat the last words, or to start again: the
 * trimmer removes what is repeated. It holds back the first characters until it is clear how they join.
 */
export class OverlapTrimmer {
  readonly #soFar: string;
  readonly #tail: string;
  /** The positions in the tail, in order, from which the new text may repeat everything up to its end. */
  #starts: number[];
  /** The length of the longest end of the first text that the new text begins with. */
  #overlap = 0;
  /** The new text begins with several such ends: then the first text itself is repetitive. */
  #isPeriodic = false;
  /** How much of the first text's beginning is repeated. Grows while `#restarts` holds. */
  #repeated = 0;
  #restarts: boolean;
  #isRestart: boolean;
  #nextCheck = RESTART_MIN;
  /** How many characters of the new text were read. */
  #read = 0;
  /** The last characters of the new text, held back. */
  #held = "";
  #isJoined = false;

  constructor(soFar: string) {
    this.#soFar = soFar;
    this.#tail = soFar.slice(-LOOKBACK_CHARACTERS);
    this.#restarts = soFar !== "";
    // After nothing but whitespace the answer is requested again: the whitespace it begins with is there already.
    this.#isRestart = soFar.trim() === "";
    this.#starts = this.#isRestart ? [] : Array.from({ length: this.#tail.length }, (_, at) => at);
  }

  /** Takes the next piece of the new text and returns what is certainly new. */
  push(text: string): string {
    if (this.#isJoined) return text;
    let next = 0;
    while (next < text.length && this.#isOpen) this.#readOne(text.charAt(next++));
    this.#held += text.slice(0, next);
    if (!this.#isOpen) return this.#join() + text.slice(next);
    // A restart is only compared from here on: its repetition is never returned.
    if (this.#starts.length === 0 && this.#isRestart) this.#held = "";
    return "";
  }

  /** The new text is complete: returns what is held back, without what is repeated. */
  end(): string {
    return this.#isJoined ? "" : this.#join();
  }

  /** Whether the next characters can still complete a repetition. */
  get #isOpen(): boolean {
    return this.#starts.length > 0 || this.#restarts;
  }

  #readOne(character: string): void {
    const at = this.#read++;
    this.#starts = this.#starts.filter((start) => this.#tail.charAt(start + at) === character);
    // An earlier start ends later: the last one to end is the longest.
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

  /** Whether repeating this much of the beginning is not a coincidence: it is long, or it occurs only once. */
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
    // What occurs more than once, like the rows of a table, may well occur once more.
    if (this.#soFar.indexOf(repeated) < this.#soFar.length - length) return false;
    if (length >= OVERLAP_MIN) return true;
    // A text does not continue with the whole word it ends with: the word is repeated.
    const before = this.#tail.charAt(this.#tail.length - length - 1);
    return LETTER.test(repeated.charAt(0)) && LETTER.test(repeated.charAt(length - 1)) && !WITHIN_WORD.test(before);
  }
}
