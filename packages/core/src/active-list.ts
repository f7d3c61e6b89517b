/** What a list of active things can hold. Only the list changes its place. */
export interface Listed {
  /** -1: in no list. */
  place: number;
}

/**
 * Things that come and go with requests, in no order. A `Set` makes a new table every few additions, and V8 links each old
 * table to the next one: once one of them is in the old generation, all later ones survive with all that they held, until
 * the next full collection. So a third of all requests became garbage of the old generation.
 */
export class ActiveList<Item extends Listed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    if (item.place !== -1) return;
    item.place = this.#items.length;
    this.#items.push(item);
  }

  delete(item: Item): void {
    if (this.#items[item.place] !== item) return;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#items[item.place] = last;
      last.place = item.place;
    }
    item.place = -1;
  }

  /** Visits each that is there at the start, and not removed before its turn. */
  visitAll(visit: (item: Item) => void): void {
    // From the end: what takes the place of a removed one has been visited.
    for (let index = this.#items.length - 1; index >= 0; index--) {
      const item = this.#items[index];
      if (item !== undefined) visit(item);
    }
  }
}
