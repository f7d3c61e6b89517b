import type { Part, TextPart, ThinkingPart } from "@trunkline/core/answer.ts";
import { atOnce, type Steps } from "../resumable.ts";
import type { OutputWatch } from "./text-screen.ts";

/** Longer thoughts are not kept waiting for the words before them, which are judged as they are then. */
const WAITING_MAX = 64;
/** Where those words may be the beginning of a value, half of which must not leave, so many thoughts wait; then they pass it by. */
const WAITING_IN_DOUBT_MAX = 4_096;

/**
 * Follows one choice of an answer and lets go of what is safe, in the order in which it came. Thoughts have a watch of their
 * own, so that they do not push out words that are held back: they wait behind them.
 */
export class ChoiceWatch {
  readonly #choice: number | undefined;
  readonly #watchThoughts: () => OutputWatch;
  readonly words: OutputWatch;
  /** undefined: it has not thought yet, as most never do. */
  #thoughts: OutputWatch | undefined;
  /** How many values were taken out of the thoughts that are over. */
  #omittedBefore = 0;
  /** The thoughts at each stop of the words, in order. */
  readonly #waiting: ThinkingPart[][] = [];
  #waitingCharacters = 0;
  /** Whether thoughts need not wait for the words that are held back. */
  #passesBy = false;

  constructor(choice: number | undefined, words: OutputWatch, watchThoughts: () => OutputWatch) {
    this.#choice = choice;
    this.words = words;
    this.#watchThoughts = watchThoughts;
  }

  get thoughts(): OutputWatch | undefined {
    return this.#thoughts;
  }

  /** Takes more words or thoughts, and adds to `safe` what can be passed on. */
  *read(part: TextPart | ThinkingPart, safe: Part[]): Steps<void> {
    const released = yield* this.#watchFor(part, safe).read(part.text);
    if (part.type === "thinking") this.#tellThoughts(part, released, safe);
    else yield* this.#tellWords(released, safe);
  }

  /** The same of a few, at once. */
  readShort(part: TextPart | ThinkingPart, safe: Part[]): void {
    const released = this.#watchFor(part, safe).readShort(part.text);
    if (part.type === "thinking") this.#tellThoughts(part, released, safe);
    else this.#tellFewWords(released, safe);
  }

  #watchFor(part: TextPart | ThinkingPart, safe: Part[]): OutputWatch {
    if (part.type === "thinking") {
      this.#thoughts ??= this.#watchThoughts();
      return this.#thoughts;
    }
    // Once it speaks it has thought: nothing more can come that its last thoughts would lead up to.
    this.#endThoughts(safe);
    this.#passesBy &&= part.text === "";
    return this.words;
  }

  #tellThoughts(part: ThinkingPart, released: string, safe: Part[]): void {
    const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
    if (!isLastPiece || this.#thoughts === undefined) {
      this.#tellThought(released, safe);
      return;
    }
    const text = released + this.#thoughts.flush();
    const omitted = sumOf(this.#thoughts.omitted);
    // The provider would not know a thought again of which something is missing, and refuse all that is said next.
    const { signature: _signature, ...unsigned } = part;
    this.#pass({ ...(omitted > this.#omittedBefore ? unsigned : part), text }, safe);
    this.#omittedBefore = omitted;
  }

  /** Nothing more comes, or something that has its place behind all of it: judges what is left. */
  flush(safe: Part[]): void {
    this.#endThoughts(safe);
    this.#flushWords(safe);
  }

  #endThoughts(safe: Part[]): void {
    this.#tellThought(this.#thoughts?.flush() ?? "", safe);
  }

  #tellThought(text: string, safe: Part[]): void {
    if (text !== "") this.#pass({ type: "thinking", text, ...this.#ofChoice() }, safe);
  }

  #pass(thought: ThinkingPart, safe: Part[]): void {
    if (!this.words.isHolding || this.#passesBy) {
      safe.push(thought);
      return;
    }
    if (this.words.stop()) this.#waiting.push([thought]);
    else this.#waiting.at(-1)?.push(thought);
    this.#waitingCharacters += thought.text.length;
    if (this.#waitingCharacters > WAITING_MAX && !this.words.mayGoOn) this.#flushWords(safe);
    if (this.#waitingCharacters > WAITING_IN_DOUBT_MAX) this.#passWordsBy(safe);
  }

  #passWordsBy(safe: Part[]): void {
    this.#passesBy = true;
    this.#tellFewWords(atOnce(this.words.stepBack()), safe);
  }

  #flushWords(safe: Part[]): void {
    this.#tellFewWords(this.words.flush(), safe);
  }

  /** What is held back is little. */
  #tellFewWords(released: string, safe: Part[]): void {
    if (this.words.isAtStop) atOnce(this.#tellWords(released, safe));
    else this.#tell(released, safe);
  }

  *#tellWords(released: string, safe: Part[]): Steps<void> {
    this.#tell(released, safe);
    while (this.words.isAtStop) {
      for (const thought of this.#waiting.shift() ?? []) {
        this.#waitingCharacters -= thought.text.length;
        safe.push(thought);
      }
      this.#tell(yield* this.words.goOn(), safe);
    }
  }

  #tell(text: string, safe: Part[]): void {
    if (text !== "") safe.push({ type: "text", text, ...this.#ofChoice() });
  }

  #ofChoice(): { readonly choice?: number } {
    return this.#choice === undefined ? {} : { choice: this.#choice };
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
