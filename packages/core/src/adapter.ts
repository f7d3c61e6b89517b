import type { CancelSignal } from "./cancellation.ts";
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
