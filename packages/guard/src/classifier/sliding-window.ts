import { CLASS_COUNT } from "./classes.ts";
import { BLOCK_COUNTS, BLOCK_COUNTS_SIZE } from "./dense-features.ts";
import type { SummedFeatures } from "./feature-hashing.ts";
import { addFeatureRows, addUnpackedSums, PACKED_SUMS } from "./row-sums.ts";

/** How many rows there is room for at first: each stream has a window, and most answers are short. A power of two. */
const FIRST_ROWS = 8;
/** How many blocks a window may have. */
const BLOCKS_MAX = 64;

/** The cells of a passage: the sums of its features per class, its counts, and its number of features. */
const COUNTS_AT = CLASS_COUNT;
const CHARACTERS_AT = COUNTS_AT + BLOCK_COUNTS.characters;
const FEATURE_COUNT_AT = COUNTS_AT + BLOCK_COUNTS_SIZE;
const PASSAGE_CELLS = FEATURE_COUNT_AT + 1;
/** Of a row: the offset in the text up to which it counts. */
const END_AT = PASSAGE_CELLS;
const ROW_CELLS = PASSAGE_CELLS + 1;

/** The start of a text, which nothing is written to. */
const FIRST_ROW = new Int32Array(ROW_CELLS);

const unfinishedSums = new Int32Array(PACKED_SUMS);

/** The sum of several blocks. */
export class Passage {
  readonly cells = new Int32Array(PASSAGE_CELLS);
  readonly counts = this.cells.subarray(COUNTS_AT, FEATURE_COUNT_AT);

  /** The sums per class come first. */
  get sums(): Int32Array {
    return this.cells;
  }

  get featureCount(): number {
    return this.cells[FEATURE_COUNT_AT] ?? 0;
  }

  get characters(): number {
    return this.cells[CHARACTERS_AT] ?? 0;
  }
}

/**
 * The last few hundred characters of the text that is being read. A row holds the sums of all blocks up to one, so that
 * any passage is the difference of two rows and each block is added once.
 */
export class SlidingWindow {
  readonly #charactersMax: number;
  readonly #passage = new Passage();
  /** A ring of rows, one for each block of the window and one for all blocks before it. A power of two. */
  #capacity = FIRST_ROWS;
  #rows = new Int32Array(this.#capacity * ROW_CELLS);
  /** The number of blocks added and evicted. */
  #addedBlocks = 0;
  #evictedBlocks = 0;
  /** The row up to the start of the current sentence. Answers are not scored by sentences and sections. */
  #sentenceStart = FIRST_ROW;
  /** The rows up to the start of the current half of a section, and of the half before it. */
  #halfStart = FIRST_ROW;
  #sectionStart = FIRST_ROW;

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
    return this.#rows[this.#rowOf(this.#evictedBlocks) + END_AT] ?? 0;
  }

  get end(): number {
    return this.#rows[this.#rowOf(this.#addedBlocks) + END_AT] ?? 0;
  }

  /** Whether a block was already evicted. */
  get isFull(): boolean {
    return this.#evictedBlocks > 0;
  }

  /** Whether a block with these counts would evict another. */
  wouldEvict(counts: Int32Array): boolean {
    const characters = counts[BLOCK_COUNTS.characters] ?? 0;
    return (
      this.#addedBlocks > this.#evictedBlocks &&
      this.#charactersSince(this.#evictedBlocks) + characters >= this.#charactersMax
    );
  }

  /** Adds the block that ends at `end`. */
  push(
    table: Int32Array,
    features: Int32Array,
    size: number,
    counts: Int32Array,
    end: number,
    { sums, summed }: SummedFeatures,
  ): void {
    // One row is for the blocks before the window.
    if (this.#addedBlocks - this.#evictedBlocks + 1 >= this.#capacity) this.#grow();
    const rows = this.#rows;
    const before = this.#rowOf(this.#addedBlocks);
    const row = this.#rowOf(++this.#addedBlocks);
    addFeatureRows(table, features, size, sums, 0);
    addUnpackedSums(sums, size + summed, rows, before, row);
    for (let at = 0; at < BLOCK_COUNTS_SIZE; at++)
      rows[row + COUNTS_AT + at] = (rows[before + COUNTS_AT + at] ?? 0) + (counts[at] ?? 0);
    rows[row + FEATURE_COUNT_AT] = (rows[before + FEATURE_COUNT_AT] ?? 0) + size + summed;
    rows[row + END_AT] = end;
    while (
      this.#evictedBlocks < this.#addedBlocks - 1 &&
      (this.#charactersSince(this.#evictedBlocks) >= this.#charactersMax ||
        this.#addedBlocks - this.#evictedBlocks >= BLOCKS_MAX)
    )
      this.#evictedBlocks++;
  }

  /** The sum of its blocks. Overwritten by the next passage. */
  passage(): Passage {
    return this.#difference(this.#rows, this.#rowOf(this.#evictedBlocks));
  }

  /** The sum of its blocks and one more, which is not added. Overwritten by the next passage. */
  passageWith(
    table: Int32Array,
    features: Int32Array,
    size: number,
    counts: Int32Array,
    { sums, summed }: SummedFeatures,
  ): Passage {
    const passage = this.passage();
    const { cells } = passage;
    for (let word = 0; word < PACKED_SUMS; word++) unfinishedSums[word] = sums[word] ?? 0;
    addFeatureRows(table, features, size, unfinishedSums, 0);
    addUnpackedSums(unfinishedSums, size + summed, cells, 0, 0);
    for (let at = 0; at < BLOCK_COUNTS_SIZE; at++)
      cells[COUNTS_AT + at] = (cells[COUNTS_AT + at] ?? 0) + (counts[at] ?? 0);
    cells[FEATURE_COUNT_AT] = (cells[FEATURE_COUNT_AT] ?? 0) + size + summed;
    return passage;
  }

  /** The sum of all blocks since the start of the text. Overwritten by the next passage. */
  whole(): Passage {
    const { cells } = this.#passage;
    const row = this.#rowOf(this.#addedBlocks);
    for (let at = 0; at < PASSAGE_CELLS; at++) cells[at] = this.#rows[row + at] ?? 0;
    return this.#passage;
  }

  /** Starts a sentence with the next block. */
  startSentence(): void {
    if (this.#sentenceStart === FIRST_ROW) this.#sentenceStart = new Int32Array(ROW_CELLS);
    const row = this.#rowOf(this.#addedBlocks);
    for (let at = 0; at < ROW_CELLS; at++) this.#sentenceStart[at] = this.#rows[row + at] ?? 0;
  }

  get sentenceCharacters(): number {
    const characters = this.#rows[this.#rowOf(this.#addedBlocks) + CHARACTERS_AT] ?? 0;
    return characters - (this.#sentenceStart[CHARACTERS_AT] ?? 0);
  }

  /** The sum of the blocks of the sentence. Overwritten by the next passage. */
  sentence(): Passage {
    return this.#difference(this.#sentenceStart, 0);
  }

  /** Starts half a section with the next block; a section is the last two halves. */
  startSectionHalf(): void {
    const row = this.#rowOf(this.#addedBlocks);
    const halfStart = this.#sectionStart === FIRST_ROW ? new Int32Array(ROW_CELLS) : this.#sectionStart;
    this.#sectionStart = this.#halfStart;
    this.#halfStart = halfStart;
    for (let at = 0; at < ROW_CELLS; at++) halfStart[at] = this.#rows[row + at] ?? 0;
  }

  /** The offset of the section in the text. */
  get sectionStart(): number {
    return this.#sectionStart[END_AT] ?? 0;
  }

  /** The sum of the blocks of the section. Overwritten by the next passage. */
  section(): Passage {
    return this.#difference(this.#sectionStart, 0);
  }

  clear(): void {
    this.#addedBlocks = 0;
    this.#evictedBlocks = 0;
    for (let at = 0; at < ROW_CELLS; at++) this.#rows[at] = 0;
    if (this.#halfStart !== FIRST_ROW) this.#halfStart.fill(0);
    if (this.#sectionStart !== FIRST_ROW) this.#sectionStart.fill(0);
  }

  /** The sum of the blocks after the row at an index of an array. */
  #difference(from: Int32Array, start: number): Passage {
    const { cells } = this.#passage;
    const rows = this.#rows;
    const row = this.#rowOf(this.#addedBlocks);
    for (let at = 0; at < PASSAGE_CELLS; at++) cells[at] = (rows[row + at] ?? 0) - (from[start + at] ?? 0);
    return this.#passage;
  }

  #charactersSince(block: number): number {
    const rows = this.#rows;
    return (
      (rows[this.#rowOf(this.#addedBlocks) + CHARACTERS_AT] ?? 0) - (rows[this.#rowOf(block) + CHARACTERS_AT] ?? 0)
    );
  }

  /** Where the row of the blocks before this one begins. */
  #rowOf(block: number): number {
    return (block & (this.#capacity - 1)) * ROW_CELLS;
  }

  #grow(): void {
    const capacity = 2 * this.#capacity;
    const rows = new Int32Array(capacity * ROW_CELLS);
    for (let block = this.#evictedBlocks; block <= this.#addedBlocks; block++) {
      const from = this.#rowOf(block);
      rows.set(this.#rows.subarray(from, from + ROW_CELLS), (block & (capacity - 1)) * ROW_CELLS);
    }
    this.#rows = rows;
    this.#capacity = capacity;
  }
}
