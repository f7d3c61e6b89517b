import type { Part } from "../domain/answer.ts";
import type { Inference } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";

/** One call of one model: what is asked, under which request, and what ends it early. */
export interface ProviderCall {
  readonly model: Model;
  readonly inference: Inference;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** How one kind of model is talked to. */
export interface Adapter {
  call(call: ProviderCall): AsyncIterable<Part>;
}
