import type { CachedAnswer } from "./kept-answer.ts";

interface Item {
  readonly answer: CachedAnswer;
  readonly bytes: number;
}

/** The answers that this instance gave or kept last, within a bound: what was asked longest ago goes first. */
export class MemoryCache {
  readonly #maxBytes: number;
  readonly #items = new Map<string, Item>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(accountId: string, exact: Buffer, now: number): CachedAnswer | undefined {
    const key = keyOf(accountId, exact);
    const item = this.#items.get(key);
    if (item === undefined) return undefined;
    this.#remove(key);
    if (item.answer.expiresAt.getTime() <= now) return undefined;
    this.#add(key, item);
    return item.answer;
  }

  put(accountId: string, exact: Buffer, answer: CachedAnswer, bytes: number): void {
    const key = keyOf(accountId, exact);
    this.#remove(key);
    this.#add(key, { answer, bytes });
    for (const oldest of this.#items.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
    }
  }

  /** Everything of an account; of all where none is named. */
  evict(accountId = ""): void {
    for (const key of [...this.#items.keys()]) if (key.startsWith(accountId)) this.#remove(key);
  }

  #add(key: string, item: Item): void {
    this.#items.set(key, item);
    this.#bytes += item.bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#items.get(key)?.bytes ?? 0;
    this.#items.delete(key);
  }
}

function keyOf(accountId: string, exact: Buffer): string {
  return `${accountId} ${exact.toString("base64")}`;
}
