import { COUNTED, COUNTS } from "./block-counts.ts";
import { COLUMNS } from "./heads.ts";

/** About a line of a text in one row of numbers: the sums of its marks column by column, what was counted in it, and how many marks it has. */
const COUNTS_AT = COLUMNS;
const MARKS_AT = COUNTS_AT + COUNTED;
const SUMMED = MARKS_AT + 1;
/** Not summed up: where in the text it begins and ends. */
const START_AT = SUMMED;
const END_AT = SUMMED + 1;
const BLOCK_WIDTH = SUMMED + 2;

/** Blocks in one array, as making many small arrays takes longer than reading a line. */
export class Blocks {
  readonly #cells: Int32Array;
  /** A power of two. */
  readonly room: number;

  constructor(room: number) {
    this.room = room;
    this.#cells = new Int32Array(room * BLOCK_WIDTH);
  }

  /** Where the sums of a block stand in `cells`: first of all. */
  placeOf(block: number): number {
    return (block & (this.room - 1)) * BLOCK_WIDTH;
  }

  get cells(): Int32Array {
    return this.#cells;
  }

  /** Notes what else there is to know of a block. */
  note(block: number, counts: Int32Array, marks: number, start: number, end: number): void {
    const cells = this.#cells;
    const at = this.placeOf(block);
    for (let count = 0; count < COUNTED; count++) cells[at + COUNTS_AT + count] = counts[count] ?? 0;
    cells[at + MARKS_AT] = marks;
    cells[at + START_AT] = start;
    cells[at + END_AT] = end;
  }

  startOf(block: number): number {
    return this.#cells[this.placeOf(block) + START_AT] ?? 0;
  }

  endOf(block: number): number {
    return this.#cells[this.placeOf(block) + END_AT] ?? 0;
  }

  /** Takes over a block of others. */
  copy(block: number, others: Blocks): void {
    const from = others.placeOf(block);
    this.#cells.set(others.#cells.subarray(from, from + BLOCK_WIDTH), this.placeOf(block));
  }
}

/** Some blocks of a text taken together. A block that is added can be taken away again. */
export class Passage {
  readonly #cells = new Int32Array(SUMMED);
  readonly counts = this.#cells.subarray(COUNTS_AT, MARKS_AT);

  get sums(): Int32Array {
    return this.#cells;
  }

  get marks(): number {
    return this.#cells[MARKS_AT] ?? 0;
  }

  get characters(): number {
    return this.#cells[COUNTS_AT + COUNTS.characters] ?? 0;
  }

  add(blocks: Blocks, block: number): void {
    const { cells } = blocks;
    const from = blocks.placeOf(block);
    const own = this.#cells;
    for (let at = 0; at < SUMMED; at++) own[at] = (own[at] ?? 0) + (cells[from + at] ?? 0);
  }

  drop(blocks: Blocks, block: number): void {
    const { cells } = blocks;
    const from = blocks.placeOf(block);
    const own = this.#cells;
    for (let at = 0; at < SUMMED; at++) own[at] = (own[at] ?? 0) - (cells[from + at] ?? 0);
  }

  clear(): void {
    this.#cells.fill(0);
  }
}
