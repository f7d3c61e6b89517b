import type { Listed } from "./active-list.ts";

/** What can be asked whether its work is still wanted: an `AbortSignal`, or the cheaper `Cancellation` of a request. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The client closed its connection. There is no answer to send; the request is still settled. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
}

/** The same signal for what takes an `AbortSignal` only. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  if (signal instanceof Cancellation) return signal.signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller.signal;
}

/**
 * Whether a request is still wanted. Every request has one and few are ever cancelled, so nothing is made until somebody
 * listens: an `AbortController` for each request costs more than checking it.
 */
export class Cancellation implements CancelSignal, Listed {
  place = -1;
  /** Whether the request was cancelled. */
  aborted = false;
  /** Why; undefined before. */
  reason: unknown = undefined;
  private listeners: (() => void)[] | undefined = undefined;
  private controller: AbortController | undefined = undefined;

  /** Cancels the request: every listener is called once. Only the first call counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const { listeners } = this;
    this.listeners = undefined;
    this.controller?.abort(reason);
    for (const listener of listeners ?? []) listener();
  }

  /** Calls the listener once, when the request is cancelled; never, where it already is. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted) return;
    if (this.listeners === undefined) this.listeners = [listener];
    else this.listeners.push(listener);
  }

  /** Forgets a listener that waits no longer. */
  removeEventListener(_type: "abort", listener: () => void): void {
    const place = this.listeners?.indexOf(listener) ?? -1;
    if (place !== -1) this.listeners?.splice(place, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** The same for what takes an `AbortSignal`, made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }
}
