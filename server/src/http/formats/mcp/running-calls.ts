/**
 * Calls that run now, so that a later request can end them. Clients of earlier versions of the protocol cancel by a
 * notice of its own; it finds its call by the key, by the token that the client was given when it introduced itself,
 * and by the call's number. Nothing else is kept of a client, and what runs at another instance is not found.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();

  /** Runs a call under a name; undefined: it has none, and only a hang-up ends it. */
  async run<Result>(
    name: string | undefined,
    signal: AbortSignal,
    act: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (name === undefined) return act(signal);
    const controller = new AbortController();
    this.#running.set(name, controller);
    try {
      return await act(AbortSignal.any([signal, controller.signal]));
    } finally {
      if (this.#running.get(name) === controller) this.#running.delete(name);
    }
  }

  cancel(name: string): void {
    this.#running.get(name)?.abort(new Error("The client cancelled the call."));
  }
}
