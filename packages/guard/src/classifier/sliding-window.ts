import { CLASS_COUNT } from "./classes.ts";
import { BLOCK_COUNTS, BLOCK_COUNTS_SIZE } from "./dense-features.ts";

/** More blocks than a window holds as a rule, and more than any does. */
const USUAL_BLOCKS = 16;
const BLOCKS_MAX = 64;

/** The last few hundred characters of a text that is being read. Each block comes in once and goes out once. */
export class SlidingWindow {
  readonly passage = new Passage();
  readonly #charactersMax: number;
  #blockBuffer = new BlockBuffer(USUAL_BLOCKS);
  /** Blocks that came, and blocks that went. */
  #addedBlocks = 0;
  #evictedBlocks = 0;

  /** `most`: characters, of which it always holds less. */
  constructor(most: number) {
    this.#charactersMax = most;
  }

  /** The number of its first block, and that after its last. */
  get firstBlock(): number {
    return this.#evictedBlocks;
  }

  get endBlock(): number {
    return this.#addedBlocks;
  }

  /** Where in the text it begins and ends. */
  get start(): number {
    return this.#addedBlocks === 0 ? 0 : this.#blockBuffer.startOf(this.#evictedBlocks);
  }

  get end(): number {
    return this.#addedBlocks === 0 ? 0 : this.#blockBuffer.endOf(this.#addedBlocks - 1);
  }

  /** Whether blocks already went, or will with the next. */
  get isFull(): boolean {
    return this.#evictedBlocks > 0;
  }

  /** Whether one of its blocks goes when one of these counts comes. */
  wouldEvict(counts: Int32Array): boolean {
    const characters = counts[BLOCK_COUNTS.characters] ?? 0;
    return this.#addedBlocks > this.#evictedBlocks && this.passage.characters + characters >= this.#charactersMax;
  }

  /** Takes in the block that ends here. What it makes of it is added to all of the text and to the sentence, where these are asked for. */
  push(
    table: Int32Array,
    marks: Int32Array,
    size: number,
    counts: Int32Array,
    end: number,
    whole?: Passage,
    sentence?: Passage,
  ): void {
    if (this.#addedBlocks - this.#evictedBlocks >= this.#blockBuffer.capacity) this.#grow();
    const blockBuffer = this.#blockBuffer;
    const block = this.#addedBlocks;
    sumFeatureRows(table, marks, size, blockBuffer.cells, blockBuffer.offsetOf(block));
    blockBuffer.setMetadata(block, counts, size, this.end, end);
    whole?.add(blockBuffer, block);
    sentence?.add(blockBuffer, block);
    this.passage.add(blockBuffer, block);
    this.#addedBlocks++;
    while (
      this.#evictedBlocks < this.#addedBlocks - 1 &&
      (this.passage.characters >= this.#charactersMax || this.#addedBlocks - this.#evictedBlocks >= BLOCKS_MAX)
    ) {
      this.passage.remove(blockBuffer, this.#evictedBlocks);
      this.#evictedBlocks++;
    }
  }

  clear(): void {
    this.passage.clear();
    this.#addedBlocks = 0;
    this.#evictedBlocks = 0;
  }

  #grow(): void {
    const blockBuffer = new BlockBuffer(BLOCKS_MAX);
    for (let block = this.#evictedBlocks; block < this.#addedBlocks; block++)
      blockBuffer.copyFrom(block, this.#blockBuffer);
    this.#blockBuffer = blockBuffer;
  }
}

/** About a line of a text in one row of numbers: the sums of its marks column by column, what was counted in it, and how many marks it has. */
const COUNTS_AT = CLASS_COUNT;
const FEATURE_COUNT_AT = COUNTS_AT + BLOCK_COUNTS_SIZE;
const SUMMED_CELLS = FEATURE_COUNT_AT + 1;
/** Not summed up: where in the text it begins and ends. */
const START_AT = SUMMED_CELLS;
const END_AT = SUMMED_CELLS + 1;
const BLOCK_WIDTH = SUMMED_CELLS + 2;

/** Blocks in one array, as making many small arrays takes longer than reading a line. */
class BlockBuffer {
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
    for (let count = 0; count < BLOCK_COUNTS_SIZE; count++) cells[at + COUNTS_AT + count] = counts[count] ?? 0;
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

/** Numbers of the table are above zero by this, so that four of them can be added up at once. */
export const ZERO_OFFSET = 128;
const WORDS_PER_ROW = CLASS_COUNT / 4;
const EVEN_BYTES = 0x00ff00ff;

/**
 * Adds up the rows of a block's marks, column by column. A row is read as three words of four numbers, and each word
 * added as two pairs: a pair overflows after 257 rows, which no block has.
 */
function sumFeatureRows(table: Int32Array, marks: Int32Array, size: number, sums: Int32Array, at: number): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let e = 0;
  let f = 0;
  for (let mark = 0; mark < size; mark++) {
    const row = (marks[mark] ?? 0) * WORDS_PER_ROW;
    const one = table[row] ?? 0;
    const two = table[row + 1] ?? 0;
    const three = table[row + 2] ?? 0;
    a = (a + (one & EVEN_BYTES)) | 0;
    b = (b + ((one >>> 8) & EVEN_BYTES)) | 0;
    c = (c + (two & EVEN_BYTES)) | 0;
    d = (d + ((two >>> 8) & EVEN_BYTES)) | 0;
    e = (e + (three & EVEN_BYTES)) | 0;
    f = (f + ((three >>> 8) & EVEN_BYTES)) | 0;
  }
  const zero = size * ZERO_OFFSET;
  unpackSums(a, b, zero, sums, at);
  unpackSums(c, d, zero, sums, at + 4);
  unpackSums(e, f, zero, sums, at + 8);
}

function unpackSums(even: number, odd: number, zero: number, sums: Int32Array, at: number): void {
  sums[at] = (even & 0xffff) - zero;
  sums[at + 1] = (odd & 0xffff) - zero;
  sums[at + 2] = (even >>> 16) - zero;
  sums[at + 3] = (odd >>> 16) - zero;
}
