/** Follows Markdown as it grows and knows whether the place that was reached is in code, which no client loads or runs. */
export class MarkdownCodeTracker {
  #ticks = 0;
  #isBlock = false;
  #isInline = false;
  #wasLineEnd = false;

  /** Whether what comes next is in code. */
  isCode(): boolean {
    // Marks that stand right before this place have ended.
    if (this.#ticks > 0) this.#toggle();
    return this.#isBlock || this.#isInline;
  }

  /** Whether words without any mark change nothing. */
  get isSettled(): boolean {
    return this.#ticks === 0 && !this.#isInline;
  }

  read(text: string): void {
    if (this.isSettled && !text.includes("`")) return;
    for (const character of text) {
      if (character === "`") {
        this.#ticks += 1;
        continue;
      }
      if (this.#ticks > 0) this.#toggle();
      // An inline piece of code ends with its paragraph, whoever forgot its mark.
      if (character === "\n" && this.#wasLineEnd) this.#isInline = false;
      this.#wasLineEnd = character === "\n";
    }
  }

  #toggle(): void {
    if (this.#ticks >= 3) {
      this.#isBlock = !this.#isBlock;
      this.#isInline = false;
    } else if (!this.#isBlock && this.#ticks === 1) this.#isInline = !this.#isInline;
    this.#ticks = 0;
  }
}
