import type { Model } from "@trunkline/core/model.ts";

/** The address of an operation: below the version that the base names, or the second. */
export function operationUrl({ endpoint }: Pick<Model, "endpoint">, operation: "chat" | "embed"): string {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = `${base}${/\/v\d+$/.test(base) ? "" : "/v2"}/${operation}`;
  return url.href;
}
