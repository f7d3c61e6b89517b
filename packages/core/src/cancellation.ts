import type { Listed } from "./active-list.ts";

/** Called when work is no longer wanted: a function, or an object, which needs no function of its own for each request. */
export type AbortListener = (() => void) | { handleEvent(): void };

/** What can be asked whether its work is still wanted: an `AbortSignal`, or the cheaper `Cancellation` of a request. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: AbortListener, options?: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: AbortListener): void;
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
  /** Most requests have one listener at a time. */
  private listener: AbortListener | undefined = undefined;
  private others: AbortListener[] | undefined = undefined;
  private controller: AbortController | undefined = undefined;

  /** Cancels the request: every listener is called once. Only the first call counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const { listener, others } = this;
    this.listener = undefined;
    this.others = undefined;
    this.controller?.abort(reason);
    if (listener !== undefined) call(listener);
    for (const other of others ?? []) call(other);
  }

  /** Calls the listener once, when the request is cancelled; never, where it already is. */
  addEventListener(_type: "abort", listener: AbortListener): void {
    if (this.aborted) return;
    if (this.others !== undefined) this.others.push(listener);
    else if (this.listener === undefined) this.listener = listener;
    else this.others = [listener];
  }

  /** Forgets a listener that waits no longer. */
  removeEventListener(_type: "abort", listener: AbortListener): void {
    if (this.listener === listener) {
      this.listener = undefined;
      return;
    }
    const place = this.others?.indexOf(listener) ?? -1;
    if (place !== -1) this.others?.splice(place, 1);
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

function call(listener: AbortListener): void {
  if (typeof listener === "function") listener();
  else listener.handleEvent();
}
