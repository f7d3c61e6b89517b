/** Work that no request waits for, but that must finish before the process closes its resources. */
export class BackgroundWork {
  readonly #running = new Set<Promise<unknown>>();

  /** Keeps track of a promise until it settles, and returns it. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    const forget = () => {
      this.#running.delete(work);
    };
    work.then(forget, forget);
    return work;
  }

  /** Resolves when no tracked work is left. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

/**
 * Reloads a value after changes, one load at a time, so that an older result never replaces a newer one. Any number of
 * simultaneous calls cost at most two loads.
 */
export class CoalescedReload {
  readonly #load: () => Promise<void>;
  #loading: Promise<void> | undefined;
  #isStale = false;

  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  /** Resolves when the loaded value is at least as new as this call. */
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
