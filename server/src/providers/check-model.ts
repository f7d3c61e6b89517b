import type { Model } from "../domain/model.ts";
import type { Dialer } from "../kit/dialer.ts";
import type { Adapter } from "./adapter.ts";
import type { ConformanceReport } from "./conformance/report.ts";
import { checkWire } from "./conformance/wire-check.ts";
import { checkConformance } from "./conformance.ts";

/** Checks a model: against our contract where it keeps that, else by calling it in its own format. */
export function checkModel(
  { dialer, adapterFor }: { readonly dialer: Dialer; readonly adapterFor: (model: Model) => Adapter },
  model: Model,
  signal: AbortSignal = new AbortController().signal,
): Promise<ConformanceReport> {
  return model.wire === "trunkline"
    ? checkConformance(dialer, model, signal)
    : checkWire(adapterFor(model), model, signal);
}
