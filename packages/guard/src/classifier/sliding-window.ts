import { CLASS_COUNT } from "./classes.ts";
import { BLOCK_COUNTS, BLOCK_COUNTS_SIZE } from "./dense-features.ts";
import type { SummedFeatures } from "./feature-scanner.ts";
import { addFeatureRows, unpackSums } from "./row-sums.ts";

/** The usual number of blocks in a window, and the maximum. */
const USUAL_BLOCKS = 16;
const BLOCKS_MAX = 64;

/** The last few hundred characters of the text that is being read. Each block is added once and evicted once. */
export class SlidingWindow {
  readonly passage = new Passage();
  readonly #charactersMax: number;
  #blockBuffer = new BlockBuffer(USUAL_BLOCKS);
  /** The number of blocks added and evicted. */
  #addedBlocks = 0;
  #evictedBlocks = 0;

  /** `charactersMax`: the window always holds fewer characters than this. */
  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** The index of its first block, and of the block after its last. */
  get firstBlock(): number {
    return this.#evictedBlocks;
  }

  get endBlock(): number {
    return this.#addedBlocks;
  }

  /** The offsets of the window in the text. */
  get start(): number {
    return this.#addedBlocks === 0 ? 0 : this.#blockBuffer.startOf(this.#evictedBlocks);
  }

  get end(): number {
    return this.#addedBlocks === 0 ? 0 : this.#blockBuffer.endOf(this.#addedBlocks - 1);
  }

  /** Whether a block was already evicted. */
  get isFull(): boolean {
    return this.#evictedBlocks > 0;
  }

  /** Whether a block with these counts would evict another. */
  wouldEvict(counts: Int32Array): boolean {
    const characters = counts[BLOCK_COUNTS.characters] ?? 0;
    return this.#addedBlocks > this.#evictedBlocks && this.passage.characters + characters >= this.#charactersMax;
  }

  /** Adds the block that ends at `end`, also to `sentence`, and what it evicts to `evicted`. */
  push(
    table: Int32Array,
    features: Int32Array,
    size: number,
    counts: Int32Array,
    end: number,
    { sums, summed }: SummedFeatures,
    evicted?: Passage,
    sentence?: Passage,
  ): void {
    if (this.#addedBlocks - this.#evictedBlocks >= this.#blockBuffer.capacity) this.#grow();
    const blockBuffer = this.#blockBuffer;
    const block = this.#addedBlocks;
    addFeatureRows(table, features, size, sums, 0);
    unpackSums(sums, size + summed, blockBuffer.cells, blockBuffer.offsetOf(block));
    blockBuffer.setMetadata(block, counts, size + summed, this.end, end);
    sentence?.add(blockBuffer, block);
    this.passage.add(blockBuffer, block);
    this.#addedBlocks++;
    while (
      this.#evictedBlocks < this.#addedBlocks - 1 &&
      (this.passage.characters >= this.#charactersMax || this.#addedBlocks - this.#evictedBlocks >= BLOCKS_MAX)
    ) {
      evicted?.add(blockBuffer, this.#evictedBlocks);
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

/** A block as one row of numbers: the sums of its features per class, its counts, and its number of features. */
const COUNTS_AT = CLASS_COUNT;
const FEATURE_COUNT_AT = COUNTS_AT + BLOCK_COUNTS_SIZE;
const SUMMED_CELLS = FEATURE_COUNT_AT + 1;
/** Not summed: the offsets of the block in the text. */
const START_AT = SUMMED_CELLS;
const END_AT = SUMMED_CELLS + 1;
const BLOCK_WIDTH = SUMMED_CELLS + 2;

/** A ring of blocks in one array, as many small arrays would cost more than reading a line. */
class BlockBuffer {
  readonly #cells: Int32Array;
  /** A power of two. */
  readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#cells = new Int32Array(capacity * BLOCK_WIDTH);
  }

  /** The index of a block in `cells`. The sums per class come first. */
  offsetOf(block: number): number {
    return (block & (this.capacity - 1)) * BLOCK_WIDTH;
  }

  get cells(): Int32Array {
    return this.#cells;
  }

  /** Stores everything but the sums. */
  setMetadata(block: number, counts: Int32Array, features: number, start: number, end: number): void {
    const cells = this.#cells;
    const at = this.offsetOf(block);
    cells.set(counts, at + COUNTS_AT);
    cells[at + FEATURE_COUNT_AT] = features;
    cells[at + START_AT] = start;
    cells[at + END_AT] = end;
  }

  startOf(block: number): number {
    return this.#cells[this.offsetOf(block) + START_AT] ?? 0;
  }

  endOf(block: number): number {
    return this.#cells[this.offsetOf(block) + END_AT] ?? 0;
  }

  /** Copies a block from another buffer. */
  copyFrom(block: number, others: BlockBuffer): void {
    const from = others.offsetOf(block);
    this.#cells.set(others.#cells.subarray(from, from + BLOCK_WIDTH), this.offsetOf(block));
  }
}

/** The sum of several blocks. Blocks can be added and removed. */
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
    for (let at = 0; at < own.length; at++) own[at] = (own[at] ?? 0) + (cells[from + at] ?? 0);
  }

  /** Adds all blocks of another passage. */
  addPassage(passage: Passage): void {
    const { sums } = passage;
    const own = this.#cells;
    for (let at = 0; at < own.length; at++) own[at] = (own[at] ?? 0) + (sums[at] ?? 0);
  }

  remove(blockBuffer: BlockBuffer, block: number): void {
    const { cells } = blockBuffer;
    const from = blockBuffer.offsetOf(block);
    const own = this.#cells;
    for (let at = 0; at < own.length; at++) own[at] = (own[at] ?? 0) - (cells[from + at] ?? 0);
  }

  clear(): void {
    this.#cells.fill(0);
  }
}
