type State = "outside" | "key" | "firstKey" | "colon" | "value" | "firstValue" | "after" | "number" | "word" | "string";

/** JSON nested deeper than this is treated as plain text. */
const DEPTH_MAX = 64;

/**
 * The position in a growing text with respect to JSON: an object or an array that begins anywhere, also between other
 * text. What proves not to be JSON is text again.
 */
export class JsonPosition {
  #state: State;
  /** The open brackets, the innermost last. */
  readonly #open: ("{" | "[")[] = [];
  #isKey = false;
  #isEscape = false;
  #digits = 0;

  /** `isJson`: the whole text is JSON and may be a lone string or number. */
  constructor(isJson = false) {
    this.#state = isJson ? "value" : "outside";
  }

  get isInString(): boolean {
    return this.#state === "string";
  }

  get isInsideJson(): boolean {
    return this.#state !== "outside";
  }

  /** Whether a string or a number may begin here. */
  get isBeforeValue(): boolean {
    return this.#state === "value" || this.#state === "firstValue";
  }

  /** Whether the next character belongs to an escape. */
  get isInEscape(): boolean {
    return this.#isEscape || this.#digits > 0;
  }

  read(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      if (this.#state === "outside") {
        const next = text.slice(at).search(/[{[]/);
        if (next === -1) return;
        at += next;
      }
      this.#readCharacter(text.charAt(at));
    }
  }

  #readCharacter(character: string): void {
    if (this.#state === "string") {
      this.#readInString(character);
      return;
    }
    if (this.#state === "number" && /[\d.eE+-]/.test(character)) return;
    if (this.#state === "word" && /[a-z]/.test(character)) return;
    if (this.#state === "number" || this.#state === "word") this.#endValue();
    if (/\s/.test(character)) return;
    this.#state = this.#next(character) ?? this.#leave(character);
  }

  /** The state after a character outside of strings, numbers and words; undefined: it is not allowed here. */
  #next(character: string): State | undefined {
    switch (character) {
      case "{":
      case "[":
        return this.isBeforeValue || this.#state === "outside" ? this.#enter(character) : undefined;
      case "}":
      case "]":
        return this.#mayClose(character) ? this.#close() : undefined;
      case '"':
        this.#isKey = this.#state === "key" || this.#state === "firstKey";
        return this.#isKey || this.isBeforeValue ? "string" : undefined;
      case ":":
        return this.#state === "colon" ? "value" : undefined;
      case ",":
        if (this.#state !== "after") return undefined;
        return this.#open.at(-1) === "{" ? "key" : "value";
      default:
        if (!this.isBeforeValue) return undefined;
        return /[-\d]/.test(character) ? "number" : /[tfn]/.test(character) ? "word" : undefined;
    }
  }

  #enter(opening: "{" | "["): State | undefined {
    if (this.#open.length === DEPTH_MAX) return undefined;
    this.#open.push(opening);
    return opening === "{" ? "firstKey" : "firstValue";
  }

  #mayClose(closing: "}" | "]"): boolean {
    if (this.#open.at(-1) !== (closing === "}" ? "{" : "[")) return false;
    return this.#state === "after" || this.#state === (closing === "}" ? "firstKey" : "firstValue");
  }

  #close(): State {
    this.#open.pop();
    return this.#open.length === 0 ? "outside" : "after";
  }

  #endValue(): void {
    this.#state = this.#open.length === 0 ? "outside" : "after";
  }

  /** Not JSON after all, but this character may begin some. */
  #leave(character: string): State {
    this.#open.length = 0;
    this.#state = "outside";
    return character === "{" || character === "[" ? (this.#enter(character) ?? "outside") : "outside";
  }

  #readInString(character: string): void {
    if (this.#isEscape) {
      this.#isEscape = false;
      this.#digits = character === "u" ? 4 : 0;
    } else if (this.#digits > 0) this.#digits -= 1;
    else if (character === "\\") this.#isEscape = true;
    else if (character === '"') {
      if (this.#isKey) this.#state = "colon";
      else this.#endValue();
    } else if (character < " ") this.#state = this.#leave(character);
  }
}
