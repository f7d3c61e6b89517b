/** Remembers where a rewritten text grew or shrank, so that an offset in it can be traced to the text it came from. */
export class OffsetMap {
  readonly #resultOffsets: number[] = [];
  readonly #sourceOffsets: number[] = [];
  /** The notes whose replacement says more or less the same all along, only with other characters. */
  readonly #stretched = new Set<number>();

  /** Notes a replacement: up to `sourceEnd` of the source is told by the first `resultEnd` characters of the result. */
  addEdit(resultEnd: number, sourceEnd: number): void {
    this.#resultOffsets.push(resultEnd);
    this.#sourceOffsets.push(sourceEnd);
  }

  /** Notes that a stretch of the source is told by a stretch of the result, which begins here: half of the one is half of the other. */
  addStretchedEdit(resultStart: number, sourceStart: number, resultEnd: number, sourceEnd: number): void {
    this.addEdit(resultStart, sourceStart);
    this.#stretched.add(this.#resultOffsets.length);
    this.addEdit(resultEnd, sourceEnd);
  }

  /** The offset in the source of an offset in the result. */
  toSourceOffset(offset: number): number {
    let low = 0;
    let high = this.#resultOffsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#resultOffsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const [source, after] = [this.#sourceOffsets[low - 1] ?? 0, this.#resultOffsets[low - 1] ?? 0];
    if (this.#stretched.has(low)) {
      const share = (offset - after) / ((this.#resultOffsets[low] ?? 0) - after);
      return source + Math.round(share * ((this.#sourceOffsets[low] ?? 0) - source));
    }
    const traced = source + offset - after;
    // Inside a replacement that is longer than what it replaced, stop at its end.
    return Math.min(traced, this.#sourceOffsets[low] ?? traced);
  }
}
