import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Wire } from "@trunkline/core/model.ts";

/** The fields of a request that only this format knows. Those of another format can't be told, and that is said. */
export function extrasFor(
  { inference: { extras }, onUnsupported: onDropped }: Pick<ProviderCall, "inference" | "onUnsupported">,
  wire: Wire,
): Readonly<Record<string, unknown>> {
  if (extras === undefined) return {};
  if (extras.wire === wire) return extras.fields;
  for (const field of Object.keys(extras.fields)) onDropped?.(field);
  return {};
}
