import { Block, Passage } from "./passage.ts";
import { COUNTS } from "./word-scanner.ts";

/** A power of two, and more blocks than any window holds. */
const RING = 64;

/** The last few hundred characters of a text that is being read. Each block comes in once and goes out once. */
export class SlidingWindow {
  readonly passage = new Passage();
  readonly #most: number;
  /** Blocks are made as they are needed: most texts are short, and so is a window. */
  readonly #ring: (Block | undefined)[] = [];
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
    return this.#at(this.#went).start;
  }

  get end(): number {
    return this.#came === 0 ? 0 : this.#at(this.#came - 1).end;
  }

  /** Whether blocks already went, or will with the next. */
  get isFull(): boolean {
    return this.#went > 0;
  }

  /** The block to fill in next; `push` takes it in. */
  get next(): Block {
    return this.#at(this.#came);
  }

  /** Whether one of its blocks goes when this one comes. */
  wouldLose(block: Block): boolean {
    const characters = block.counts[COUNTS.characters] ?? 0;
    return this.#came > this.#went && this.passage.characters + characters >= this.#most;
  }

  push(): void {
    this.passage.add(this.next);
    this.#came++;
    while (
      this.#went < this.#came - 1 &&
      (this.passage.characters >= this.#most || this.#came - this.#went >= RING)
    ) {
      this.passage.drop(this.#at(this.#went));
      this.#went++;
    }
  }

  clear(): void {
    this.passage.clear();
    this.#came = 0;
    this.#went = 0;
    this.next.start = 0;
  }

  #at(block: number): Block {
    const found = this.#ring[block & (RING - 1)] ?? new Block();
    this.#ring[block & (RING - 1)] = found;
    return found;
  }
}
