/**
 * A map with a fixed number of entries. When it is full, adding an entry removes the one that was used longest ago, so
 * that memory stays bounded whatever keys clients send. `undefined` counts as no value.
 */
export class LruMap<Key, Value> {
  readonly #sizeMax: number;
  /** A Map iterates in insertion order: an entry that is used is inserted again, so the first one is the oldest. */
  readonly #entries = new Map<Key, Value>();
  /** Already last: using it again needs no reordering. Most caches are asked for the same key many times in a row. */
  #newest: Key | undefined;

  constructor(sizeMax: number) {
    if (!(sizeMax >= 1)) throw new RangeError(`An LruMap needs room for at least one entry, not ${sizeMax}.`);
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which counts as a use of it. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
      this.#newest = key;
    }
    return value;
  }

  /** The value of a key, without counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#sizeMax) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest as Key);
    }
    this.#entries.set(key, value);
    this.#newest = key;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
