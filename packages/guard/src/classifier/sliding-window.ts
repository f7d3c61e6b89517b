import { BLOCK_COUNTS } from "./block-counts.ts";
import { sumFeatureRows } from "./block-sums.ts";
import { BlockBuffer, Passage } from "./passage.ts";

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
    return (
      this.#addedBlocks > this.#evictedBlocks && this.passage.characters + characters >= this.#charactersMax
    );
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
      (this.passage.characters >= this.#charactersMax ||
        this.#addedBlocks - this.#evictedBlocks >= BLOCKS_MAX)
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
