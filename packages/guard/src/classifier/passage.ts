import { BLOCK_COUNTS, BLOCK_COUNTS_SIZE } from "./block-counts.ts";
import { CLASS_COUNT } from "./heads.ts";

/** About a line of a text in one row of numbers: the sums of its marks column by column, what was counted in it, and how many marks it has. */
const COUNTS_AT = CLASS_COUNT;
const FEATURE_COUNT_AT = COUNTS_AT + BLOCK_COUNTS_SIZE;
const SUMMED_CELLS = FEATURE_COUNT_AT + 1;
/** Not summed up: where in the text it begins and ends. */
const START_AT = SUMMED_CELLS;
const END_AT = SUMMED_CELLS + 1;
const BLOCK_WIDTH = SUMMED_CELLS + 2;

/** Blocks in one array, as making many small arrays takes longer than reading a line. */
export class BlockBuffer {
  readonly #cells: Int32Array;
  /** A power of two. */
  readonly capacity: number;

  constructor(room: number) {
    this.capacity = room;
    this.#cells = new Int32Array(room * BLOCK_WIDTH);
  }

  /** Where the sums of a block stand in `cells`: first of all. */
  offsetOf(block: number): number {
    return (block & (this.capacity - 1)) * BLOCK_WIDTH;
  }

  get cells(): Int32Array {
    return this.#cells;
  }

  /** Notes what else there is to know of a block. */
  setMetadata(block: number, counts: Int32Array, marks: number, start: number, end: number): void {
    const cells = this.#cells;
    const at = this.offsetOf(block);
    for (let count = 0; count < BLOCK_COUNTS_SIZE; count++)
      cells[at + COUNTS_AT + count] = counts[count] ?? 0;
    cells[at + FEATURE_COUNT_AT] = marks;
    cells[at + START_AT] = start;
    cells[at + END_AT] = end;
  }

  startOf(block: number): number {
    return this.#cells[this.offsetOf(block) + START_AT] ?? 0;
  }

  endOf(block: number): number {
    return this.#cells[this.offsetOf(block) + END_AT] ?? 0;
  }

  /** Takes over a block of others. */
  copyFrom(block: number, others: BlockBuffer): void {
    const from = others.offsetOf(block);
    this.#cells.set(others.#cells.subarray(from, from + BLOCK_WIDTH), this.offsetOf(block));
  }
}

/** Some blocks of a text taken together. A block that is added can be taken away again. */
export class Passage {
  readonly #cells = new Int32Array(SUMMED_CELLS);
  readonly counts = this.#cells.subarray(COUNTS_AT, FEATURE_COUNT_AT);

  get sums(): Int32Array {
    return this.#cells;
  }

  get featureCount(): number {
    return this.#cells[FEATURE_COUNT_AT] ?? 0;
  }

  get characters(): number {
    return this.#cells[COUNTS_AT + BLOCK_COUNTS.characters] ?? 0;
  }

  add(blockBuffer: BlockBuffer, block: number): void {
    const { cells } = blockBuffer;
    const from = blockBuffer.offsetOf(block);
    const own = this.#cells;
    for (let at = 0; at < SUMMED_CELLS; at++) own[at] = (own[at] ?? 0) + (cells[from + at] ?? 0);
  }

  remove(blockBuffer: BlockBuffer, block: number): void {
    const { cells } = blockBuffer;
    const from = blockBuffer.offsetOf(block);
    const own = this.#cells;
    for (let at = 0; at < SUMMED_CELLS; at++) own[at] = (own[at] ?? 0) - (cells[from + at] ?? 0);
  }

  clear(): void {
    this.#cells.fill(0);
  }
}
