import type { Inference } from "./inference.ts";
import type { KeyCooldown } from "./key-rotation.ts";
import type { Model } from "./model.ts";
import type { Part } from "./parts.ts";

/** One call of one model: what is asked, under which request, and what ends it early. */
export interface ProviderCall {
  readonly model: Model;
  readonly inference: Inference;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Told, before the first part, of each field of the request that this provider can't be told. */
  readonly onUnsupported?: ((field: string) => void) | undefined;
  /** Told when the provider says that it takes nothing more for so many seconds. */
  readonly onPause?: ((seconds: number) => void) | undefined;
  /** Told when the provider says how many more calls it takes within so many seconds. */
  readonly onRemainingCalls?: ((calls: number, seconds: number) => void) | undefined;
  /** Told when one of several keys was refused and another is tried. */
  readonly onKeyCooldown?: ((rest: KeyCooldown) => void) | undefined;
}

/** How one kind of model is talked to. */
export interface Adapter {
  call(call: ProviderCall): AsyncIterable<Part>;
}
