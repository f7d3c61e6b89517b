import type { Adapter } from "@trunkline/core/adapter.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { checkNativeEndpoint } from "./conformance.ts";
import type { ConformanceReport } from "./report.ts";
import { checkWireFormat } from "./wire-format-check.ts";

/** Checks a model: against our contract where it keeps that, else by calling it in its own format. */
export function checkModel(
  { dialer, adapterFor }: { readonly dialer: Dialer; readonly adapterFor: (model: Model) => Adapter },
  model: Model,
  signal: AbortSignal = new AbortController().signal,
): Promise<ConformanceReport> {
  return model.wire === "trunkline"
    ? checkNativeEndpoint(dialer, model, signal)
    : checkWireFormat(adapterFor(model), model, signal);
}
