import { COLUMNS } from "./heads.ts";
import { COUNTED, COUNTS } from "./word-scanner.ts";

/** About a line of a text: the sums of its marks, column by column, and what was counted in it. */
export class Block {
  readonly sums = new Int32Array(COLUMNS);
  readonly counts = new Int32Array(COUNTED);
  marks = 0;
  /** Where in the text it lies, end exclusive. */
  start = 0;
  end = 0;
}

/** Some blocks of a text taken together. A block that is added can be taken away again. */
export class Passage {
  readonly sums = new Int32Array(COLUMNS);
  readonly counts = new Int32Array(COUNTED);
  marks = 0;

  get characters(): number {
    return this.counts[COUNTS.characters] ?? 0;
  }

  add({ sums, counts, marks }: Block): void {
    for (let at = 0; at < COLUMNS; at++) this.sums[at] = (this.sums[at] ?? 0) + (sums[at] ?? 0);
    for (let at = 0; at < COUNTED; at++) this.counts[at] = (this.counts[at] ?? 0) + (counts[at] ?? 0);
    this.marks += marks;
  }

  drop({ sums, counts, marks }: Block): void {
    for (let at = 0; at < COLUMNS; at++) this.sums[at] = (this.sums[at] ?? 0) - (sums[at] ?? 0);
    for (let at = 0; at < COUNTED; at++) this.counts[at] = (this.counts[at] ?? 0) - (counts[at] ?? 0);
    this.marks -= marks;
  }

  clear(): void {
    this.sums.fill(0);
    this.counts.fill(0);
    this.marks = 0;
  }

  copy(other: Passage): void {
    this.sums.set(other.sums);
    this.counts.set(other.counts);
    this.marks = other.marks;
  }
}
