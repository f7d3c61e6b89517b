/** Follows one JSON object through its text, which comes in pieces cut anywhere. */
export class JsonObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Where in this piece the object is over; undefined where it goes on. */
  findEnd(piece: string): number | undefined {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.#closes(piece[at] ?? "")) return at + 1;
    }
    return undefined;
  }

  #closes(character: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === "\\") this.#escaped = true;
      else if (character === '"') this.#inString = false;
      return false;
    }
    if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") {
      this.#depth -= 1;
      return this.#depth <= 0;
    }
    return false;
  }
}
