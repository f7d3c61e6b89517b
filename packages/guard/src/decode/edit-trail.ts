/** Remembers where a rewritten text grew or shrank, so that an offset in it can be traced to the text it came from. */
export class EditTrail {
  readonly #after: number[] = [];
  readonly #source: number[] = [];
  /** The notes whose replacement says more or less the same all along, only with other characters. */
  readonly #stretched = new Set<number>();

  /** Notes a replacement: up to `sourceEnd` of the source is told by the first `resultEnd` characters of the result. */
  note(resultEnd: number, sourceEnd: number): void {
    this.#after.push(resultEnd);
    this.#source.push(sourceEnd);
  }

  /** Notes that a stretch of the source is told by a stretch of the result, which begins here: half of the one is half of the other. */
  noteStretch(resultStart: number, sourceStart: number, resultEnd: number, sourceEnd: number): void {
    this.note(resultStart, sourceStart);
    this.#stretched.add(this.#after.length);
    this.note(resultEnd, sourceEnd);
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
    const [source, after] = [this.#source[low - 1] ?? 0, this.#after[low - 1] ?? 0];
    if (this.#stretched.has(low)) {
      const share = (offset - after) / ((this.#after[low] ?? 0) - after);
      return source + Math.round(share * ((this.#source[low] ?? 0) - source));
    }
    const traced = source + offset - after;
    // Inside a replacement that is longer than what it replaced, stop at its end.
    return Math.min(traced, this.#source[low] ?? traced);
  }
}
