import type { Part, TextPart, ThinkingPart } from "@trunkline/core/parts.ts";
import { type Resumable, runToEnd } from "../resumable.ts";
import type { TextScreen } from "./text-screen.ts";

/** Longer thoughts are not kept waiting for the words before them, which are judged as they are then. */
const WAITING_CHARACTERS_MAX = 64;
/** Where those words may be the beginning of a value, half of which must not leave, so many thoughts wait; then they pass it by. */
const WAITING_UNDECIDED_CHARACTERS_MAX = 4_096;

/**
 * Follows one choice of an answer and lets go of what is safe, in the order in which it came. Thoughts have a watch of their
 * own, so that they do not push out words that are held back: they wait behind them.
 */
export class ChoiceScreen {
  readonly #choice: number | undefined;
  readonly #createThinkingScreen: () => TextScreen;
  readonly textScreen: TextScreen;
  /** undefined: it has not thought yet, as most never do. */
  #thinkingScreen: TextScreen | undefined;
  /** How many values were taken out of the thoughts that are over. */
  #redactedBefore = 0;
  /** The thoughts at each stop of the words, in order. */
  readonly #waiting: ThinkingPart[][] = [];
  #waitingCharacters = 0;
  /** Whether thoughts need not wait for the words that are held back. */
  #thinkingOvertakes = false;

  constructor(choice: number | undefined, words: TextScreen, watchThoughts: () => TextScreen) {
    this.#choice = choice;
    this.textScreen = words;
    this.#createThinkingScreen = watchThoughts;
  }

  get thinkingScreen(): TextScreen | undefined {
    return this.#thinkingScreen;
  }

  /** Takes more words or thoughts, and adds to `safe` what can be passed on. */
  *read(part: TextPart | ThinkingPart, safe: Part[]): Resumable<void> {
    const released = yield* this.#screenFor(part, safe).read(part.text);
    if (part.type === "thinking") this.#releaseThinking(part, released, safe);
    else yield* this.#releaseText(released, safe);
  }

  /** The same of a few, at once. */
  readShort(part: TextPart | ThinkingPart, safe: Part[]): void {
    const released = this.#screenFor(part, safe).readShort(part.text);
    if (part.type === "thinking") this.#releaseThinking(part, released, safe);
    else this.#releaseShortText(released, safe);
  }

  #screenFor(part: TextPart | ThinkingPart, safe: Part[]): TextScreen {
    if (part.type === "thinking") {
      this.#thinkingScreen ??= this.#createThinkingScreen();
      return this.#thinkingScreen;
    }
    // Once it speaks it has thought: nothing more can come that its last thoughts would lead up to.
    this.#endThinking(safe);
    this.#thinkingOvertakes &&= part.text === "";
    return this.textScreen;
  }

  #releaseThinking(part: ThinkingPart, released: string, safe: Part[]): void {
    const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
    if (!isLastPiece || this.#thinkingScreen === undefined) {
      this.#releaseThinkingText(released, safe);
      return;
    }
    const text = released + this.#thinkingScreen.flush();
    const omitted = sumOf(this.#thinkingScreen.redactedCounts);
    // The provider would not know a thought again of which something is missing, and refuse all that is said next.
    const { signature: _signature, ...unsigned } = part;
    this.#passThinking({ ...(omitted > this.#redactedBefore ? unsigned : part), text }, safe);
    this.#redactedBefore = omitted;
  }

  /** Nothing more comes, or something that has its place behind all of it: judges what is left. */
  flush(safe: Part[]): void {
    this.#endThinking(safe);
    this.#flushText(safe);
  }

  #endThinking(safe: Part[]): void {
    this.#releaseThinkingText(this.#thinkingScreen?.flush() ?? "", safe);
  }

  #releaseThinkingText(text: string, safe: Part[]): void {
    if (text !== "") this.#passThinking({ type: "thinking", text, ...this.#ofChoice() }, safe);
  }

  #passThinking(thought: ThinkingPart, safe: Part[]): void {
    if (!this.textScreen.isHolding || this.#thinkingOvertakes) {
      safe.push(thought);
      return;
    }
    if (this.textScreen.addPausePoint()) this.#waiting.push([thought]);
    else this.#waiting.at(-1)?.push(thought);
    this.#waitingCharacters += thought.text.length;
    if (this.#waitingCharacters > WAITING_CHARACTERS_MAX && !this.textScreen.mayEndInValue) this.#flushText(safe);
    if (this.#waitingCharacters > WAITING_UNDECIDED_CHARACTERS_MAX) this.#overtakeText(safe);
  }

  #overtakeText(safe: Part[]): void {
    this.#thinkingOvertakes = true;
    this.#releaseShortText(runToEnd(this.textScreen.movePausePointsBack()), safe);
  }

  #flushText(safe: Part[]): void {
    this.#releaseShortText(this.textScreen.flush(), safe);
  }

  /** What is held back is little. */
  #releaseShortText(released: string, safe: Part[]): void {
    if (this.textScreen.isPaused) runToEnd(this.#releaseText(released, safe));
    else this.#pushText(released, safe);
  }

  *#releaseText(released: string, safe: Part[]): Resumable<void> {
    this.#pushText(released, safe);
    while (this.textScreen.isPaused) {
      for (const thought of this.#waiting.shift() ?? []) {
        this.#waitingCharacters -= thought.text.length;
        safe.push(thought);
      }
      this.#pushText(yield* this.textScreen.resume(), safe);
    }
  }

  #pushText(text: string, safe: Part[]): void {
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
