import type { Wire } from "../../domain/model.ts";
import type { ProviderCall } from "../adapter.ts";

/** The fields of a request that only this format knows. Those of another format can't be told, and that is said. */
export function extrasFor(
  { inference: { extras }, onDropped }: Pick<ProviderCall, "inference" | "onDropped">,
  wire: Wire,
): Readonly<Record<string, unknown>> {
  if (extras === undefined) return {};
  if (extras.wire === wire) return extras.fields;
  for (const field of Object.keys(extras.fields)) onDropped?.(field);
  return {};
}
