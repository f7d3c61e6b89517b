import { COUNTS } from "./block-counts.ts";
import { sumBlock } from "./block-sums.ts";
import { Blocks, Passage } from "./passage.ts";

/** More blocks than a window holds as a rule, and more than any does. */
const ROOM = 16;
const RING = 64;

/** The last few hundred characters of a text that is being read. Each block comes in once and goes out once. */
export class SlidingWindow {
  readonly passage = new Passage();
  readonly #most: number;
  #blocks = new Blocks(ROOM);
  /** Blocks that came, and blocks that went. */
  #came = 0;
  #went = 0;

  /** `most`: characters, of which it always holds less. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The number of its first block, and that after its last. */
  get from(): number {
    return this.#went;
  }

  get to(): number {
    return this.#came;
  }

  /** Where in the text it begins and ends. */
  get start(): number {
    return this.#came === 0 ? 0 : this.#blocks.startOf(this.#went);
  }

  get end(): number {
    return this.#came === 0 ? 0 : this.#blocks.endOf(this.#came - 1);
  }

  /** Whether blocks already went, or will with the next. */
  get isFull(): boolean {
    return this.#went > 0;
  }

  /** Whether one of its blocks goes when one of these counts comes. */
  wouldLose(counts: Int32Array): boolean {
    const characters = counts[COUNTS.characters] ?? 0;
    return this.#came > this.#went && this.passage.characters + characters >= this.#most;
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
    if (this.#came - this.#went >= this.#blocks.room) this.#makeRoom();
    const blocks = this.#blocks;
    const block = this.#came;
    sumBlock(table, marks, size, blocks.cells, blocks.placeOf(block));
    blocks.note(block, counts, size, this.end, end);
    whole?.add(blocks, block);
    sentence?.add(blocks, block);
    this.passage.add(blocks, block);
    this.#came++;
    while (
      this.#went < this.#came - 1 &&
      (this.passage.characters >= this.#most || this.#came - this.#went >= RING)
    ) {
      this.passage.drop(blocks, this.#went);
      this.#went++;
    }
  }

  clear(): void {
    this.passage.clear();
    this.#came = 0;
    this.#went = 0;
  }

  #makeRoom(): void {
    const blocks = new Blocks(RING);
    for (let block = this.#went; block < this.#came; block++) blocks.copy(block, this.#blocks);
    this.#blocks = blocks;
  }
}
