import type { CancelSignal } from "./cancellation.ts";
import { Arrival, promiseOf } from "./in-step.ts";
import type { Inference } from "./inference.ts";
import type { Model } from "./model.ts";
import type { Part } from "./parts.ts";

/** One call of one model: the request, its id, and the signal that cancels it. */
export interface ProviderCall {
  readonly model: Model;
  readonly inference: Inference;
  readonly requestId: string;
  readonly signal: CancelSignal;
  /** Headers by which the provider can continue the trace; undefined: no traces are made. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
  /** Called before the first part, once for each request field that this provider does not support. */
  readonly onUnsupported?: ((field: string) => void) | undefined;
  /** Called when the provider asks to get no more calls for this many seconds. */
  readonly onPause?: ((seconds: number) => void) | undefined;
  /** Called when the provider says how many more calls it accepts within this many seconds. */
  readonly onRemainingCalls?: ((calls: number, seconds: number) => void) | undefined;
  /** Called when one of several keys failed and the next one is tried. */
  readonly onKeyCooldown?: ((cooldown: KeyCooldown) => void) | undefined;
}

/** Calls models of one kind. */
export interface Adapter {
  /** Yields the parts of the answer in the groups in which they arrive: one step for each piece of the body. */
  call(call: ProviderCall): AsyncIterable<readonly Part[]>;
}

/** The group of parts that ends an answer. Its reader need not ask whether more comes. */
export interface LastParts extends IteratorYieldResult<readonly Part[]> {
  readonly isLast: true;
}

/** Whether no parts come after these. */
export function isLastGroup(result: IteratorResult<readonly Part[], unknown> | LastParts): boolean {
  return "isLast" in result;
}

/** A group of parts, or the end of the answer. */
export type PartsResult = IteratorResult<readonly Part[], undefined> | LastParts;

/**
 * An answer whose groups are taken as they come. In a stream each layer that awaits a group costs more than what is in it,
 * so all of them take it from each other at once, and only the last one waits.
 */
export interface PartSource {
  /**
   * The next group, if it has come. Otherwise the wait for it: take again once that is over. Throws why the answer broke off.
   */
  take(): PartsResult | Arrival;
  /** Ends the answer before its end. */
  return(): Promise<unknown>;
}

/** Waits for the next group. */
export function awaitGroup(source: PartSource): Promise<PartsResult> {
  try {
    const taken = source.take();
    return taken instanceof Arrival ? promiseOf(taken).then(() => awaitGroup(source)) : Promise.resolve(taken);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The groups of any answer, to be taken. */
export function partSourceOf(groups: AsyncIterable<readonly Part[]>): PartSource {
  const iterator = groups[Symbol.asyncIterator]();
  return isPartSource(iterator) ? iterator : new AwaitedGroups(iterator);
}

function isPartSource(source: object): source is PartSource {
  return "take" in source && "return" in source;
}

class AwaitedGroups implements PartSource {
  readonly #groups: AsyncIterator<readonly Part[], unknown>;
  #arrived: IteratorResult<readonly Part[], unknown> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(groups: AsyncIterator<readonly Part[], unknown>) {
    this.#groups = groups;
  }

  take(): PartsResult | Arrival {
    if (this.#failure !== undefined) throw this.#failure.error;
    const arrived = this.#arrived;
    this.#arrived = undefined;
    return (arrived as PartsResult | undefined) ?? Arrival.of(this.#awaitNext());
  }

  async return(): Promise<unknown> {
    return this.#groups.return?.();
  }

  async #awaitNext(): Promise<void> {
    try {
      this.#arrived = await this.#groups.next();
    } catch (error) {
      this.#failure = { error };
    }
  }
}

/** The parts of a call one by one. */
export async function* partsOf(groups: AsyncIterable<readonly Part[]>): AsyncGenerator<Part> {
  for await (const parts of groups) yield* parts;
}

/** A provider key that is not used for a while, and why. For the log: it never holds the key itself. */
export interface KeyCooldown {
  /** The key's position among the provider's keys, counted from 1. */
  readonly place: number;
  readonly count: number;
  readonly why: "refused" | "rate-limited";
  readonly seconds: number;
}

/** A cooldown as a sentence for the log. */
export function describeCooldown(provider: string, { place, count, why, seconds }: KeyCooldown): string {
  const what = why === "refused" ? "refused" : "used too often";
  return `Key ${place} of ${count} for ${provider} was ${what} and rests for ${seconds} s.`;
}
