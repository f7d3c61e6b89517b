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
