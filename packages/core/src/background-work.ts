/** Work that nobody waits for, but that must be over before the house is torn down. */
export class BackgroundWork {
  readonly #running = new Set<Promise<unknown>>();

  /** Remembers it until it is over, however it ends. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    const forget = () => {
      this.#running.delete(work);
    };
    work.then(forget, forget);
    return work;
  }

  /** Waits until nothing runs any more. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

/**
 * Loads something anew whenever it may have changed, one time after the other: what was read earlier never wins over what
 * was read later. Many who ask at once cost at most two loads.
 */
export class CoalescedReload {
  readonly #load: () => Promise<void>;
  #loading: Promise<void> | undefined;
  #isStale = false;

  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  /** Resolves when what is loaded is at least as new as this call. */
  reload(): Promise<void> {
    if (this.#loading === undefined) this.#loading = this.#loadUntilFresh();
    else this.#isStale = true;
    return this.#loading;
  }

  async #loadUntilFresh(): Promise<void> {
    try {
      do {
        this.#isStale = false;
        await this.#load();
      } while (this.#isStale);
    } finally {
      this.#loading = undefined;
    }
  }
}
