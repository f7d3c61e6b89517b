const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;

/** Where a text of JSON's has got to while it grows. */
export class JsonPlace {
  #isInString = false;
  #isEscape = false;
  #digits = 0;

  get isInString(): boolean {
    return this.#isInString;
  }

  /** Whether what comes next belongs to an escape that was begun. */
  get isInEscape(): boolean {
    return this.#isEscape || this.#digits > 0;
  }

  read(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isEscape) {
        this.#isEscape = false;
        this.#digits = code === U ? 4 : 0;
      } else if (this.#digits > 0) this.#digits -= 1;
      else if (code === QUOTE) this.#isInString = !this.#isInString;
      else if (code === BACKSLASH) this.#isEscape = this.#isInString;
    }
  }
}
