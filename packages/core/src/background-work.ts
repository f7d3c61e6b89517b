/** Work that no request waits for, but that must finish before the process closes its resources. */
export class BackgroundWork {
  #running = 0;
  #whenIdle: (() => void)[] = [];

  /** Keeps track of a promise until it settles, and returns it. */
  track<Result>(work: Promise<Result>): Promise<Result> {
    this.begin();
    const end = () => this.end();
    work.then(end, end);
    return work;
  }

  /** Work has begun that says itself when it has ended. */
  begin(): void {
    this.#running++;
  }

  /** One of the works that have begun has ended. */
  end(): void {
    this.#running--;
    if (this.#running > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no tracked work is left. */
  async whenIdle(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
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
