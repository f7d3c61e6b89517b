import type { Part, TextPart, ThinkingPart } from "@trunkline/core/parts.ts";
import type { TextScreen } from "./text-screen.ts";

/** If more thinking than this waits for held text, the text is examined as it is. */
const WAITING_CHARACTERS_MAX = 64;
/**
 * If the held text may be the beginning of a value, of which no part may be sent, this much thinking waits; then it
 * overtakes.
 */
const WAITING_UNDECIDED_CHARACTERS_MAX = 4_096;

/**
 * Screens one choice of an answer and releases what is safe, in order. Thinking has a TextScreen of its own, so that it
 * does not push out held text: it waits behind it.
 */
export class ChoiceScreen {
  readonly #choice: number | undefined;
  readonly #createThinkingScreen: () => TextScreen;
  readonly textScreen: TextScreen;
  /** undefined: no thinking so far, as in most answers. */
  #thinkingScreen: TextScreen | undefined;
  /** The number of values redacted from completed thinking. */
  #redactedBefore = 0;
  /** The thinking parts at each pause point of the text, in order. */
  readonly #waiting: ThinkingPart[][] = [];
  #waitingCharacters = 0;
  /** Whether thinking need not wait for held text. */
  #thinkingOvertakes = false;

  constructor(choice: number | undefined, textScreen: TextScreen, createThinkingScreen: () => TextScreen) {
    this.#choice = choice;
    this.textScreen = textScreen;
    this.#createThinkingScreen = createThinkingScreen;
  }

  get thinkingScreen(): TextScreen | undefined {
    return this.#thinkingScreen;
  }

  /** Reads a part and appends to `safe` what can be sent. */
  read(part: TextPart | ThinkingPart, safe: Part[]): void {
    const released = this.#screenFor(part, safe).read(part.text);
    if (part.type === "thinking") this.#releaseThinking(part, released, safe);
    else this.#releaseText(released, safe);
  }

  /** Reads a piece of a part that continues. Nothing of the part is released before `read` gets the last piece. */
  readPiece(type: "text" | "thinking", text: string, safe: Part[]): void {
    this.#screenFor({ type, text }, safe).read(text, true);
  }

  #screenFor(part: TextPart | ThinkingPart, safe: Part[]): TextScreen {
    if (part.type === "thinking") {
      this.#thinkingScreen ??= this.#createThinkingScreen();
      return this.#thinkingScreen;
    }
    // Text ends the thinking: nothing can follow that its last part would lead up to.
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
    const redacted = sumOf(this.#thinkingScreen.redactedCounts);
    // A provider rejects changed thinking with its signature, and with it the next request.
    const { signature: _signature, ...unsigned } = part;
    this.#passThinking({ ...(redacted > this.#redactedBefore ? unsigned : part), text }, safe);
    this.#redactedBefore = redacted;
  }

  /** Examines what is left: nothing follows, or something that belongs behind it. */
  flush(safe: Part[]): void {
    this.#endThinking(safe);
    this.#flushText(safe);
  }

  #endThinking(safe: Part[]): void {
    this.#releaseThinkingText(this.#thinkingScreen?.flush() ?? "", safe);
  }

  #releaseThinkingText(text: string, safe: Part[]): void {
    if (text !== "") this.#passThinking(this.#partOf("thinking", text), safe);
  }

  #passThinking(part: ThinkingPart, safe: Part[]): void {
    if (!this.textScreen.isHolding || this.#thinkingOvertakes) {
      safe.push(part);
      return;
    }
    if (this.textScreen.addPausePoint()) this.#waiting.push([part]);
    else this.#waiting.at(-1)?.push(part);
    this.#waitingCharacters += part.text.length;
    if (this.#waitingCharacters > WAITING_CHARACTERS_MAX && !this.textScreen.mayEndInValue) this.#flushText(safe);
    if (this.#waitingCharacters > WAITING_UNDECIDED_CHARACTERS_MAX) this.#overtakeText(safe);
  }

  #overtakeText(safe: Part[]): void {
    this.#thinkingOvertakes = true;
    this.#releaseText(this.textScreen.movePausePointsBack(), safe);
  }

  #flushText(safe: Part[]): void {
    this.#releaseText(this.textScreen.flush(), safe);
  }

  #releaseText(released: string, safe: Part[]): void {
    this.#pushText(released, safe);
    while (this.textScreen.isPaused) {
      for (const part of this.#waiting.shift() ?? []) {
        this.#waitingCharacters -= part.text.length;
        safe.push(part);
      }
      this.#pushText(this.textScreen.resume(), safe);
    }
  }

  #pushText(text: string, safe: Part[]): void {
    if (text !== "") safe.push(this.#partOf("text", text));
  }

  #partOf<Type extends "text" | "thinking">(type: Type, text: string): { type: Type; text: string; choice?: number } {
    return this.#choice === undefined ? { type, text } : { type, text, choice: this.#choice };
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
