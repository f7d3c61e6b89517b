/** Remembers where a rewritten text grew or shrank, so that an offset in it can be traced to the text it came from. */
export class EditTrail {
  readonly #after: number[] = [];
  readonly #source: number[] = [];

  /** Notes a replacement: up to `sourceEnd` of the source is told by the first `resultEnd` characters of the result. */
  note(resultEnd: number, sourceEnd: number): void {
    this.#after.push(resultEnd);
    this.#source.push(sourceEnd);
  }

  /** The offset in the source of an offset in the result. */
  sourceOf(offset: number): number {
    let low = 0;
    let high = this.#after.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#after[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const traced = (this.#source[low - 1] ?? 0) + offset - (this.#after[low - 1] ?? 0);
    // Inside a replacement that is longer than what it replaced, stop at its end.
    return Math.min(traced, this.#source[low] ?? traced);
  }
}
