/** Of a long passage about so many marks are looked at each time, others the next time. */
const MARKS_ABOUT = 250;

/** Chooses marks of a passage by chance: some are always left out, so that no one mark is relied on. */
export class MarkSample {
  readonly kept = new Int32Array(1 << 16);
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Fills `kept` and says how many they are, at least one. */
  take(marks: Int32Array, start: number, length: number, dropout: number): number {
    const share = Math.min(1 - dropout, MARKS_ABOUT / length);
    const limit = share * 2 ** 32;
    const { kept } = this;
    let state = this.#state;
    let met = 0;
    for (let at = start; at < start + length && met < kept.length; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      if (state >>> 0 < limit) kept[met++] = marks[at] ?? 0;
    }
    this.#state = state;
    if (met === 0) kept[met++] = marks[start] ?? 0;
    return met;
  }
}
