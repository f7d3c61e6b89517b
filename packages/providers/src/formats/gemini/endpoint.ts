import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";

type Operation = "generateContent" | "streamGenerateContent" | "batchEmbedContents";

const VERSION = /\/v\d+(alpha|beta)?\d*(\/|$)/;

/** The address of an operation. A base without a version is of the API's usual one; any other is taken as it is. */
export function operationUrl(model: Pick<Model, "endpoint" | "upstreamModel" | "name">, operation: Operation) {
  const url = new URL(model.endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  const version = VERSION.test(base) ? "" : "/v1beta";
  url.pathname = `${base}${version}/models/${encodeURIComponent(modelIdOf(model))}:${operation}`;
  // Without it the pieces of a stream come as one list, which not every gateway passes on as it grows.
  if (operation === "streamGenerateContent") url.searchParams.set("alt", "sse");
  return url.href;
}

/** Some write the name as the API lists it. */
export function modelIdOf(model: Pick<Model, "upstreamModel" | "name">): string {
  return upstreamNameOf(model).replace(/^models\//, "");
}

/** Whether schemas can be sent as they are. The API's first version only knows a small part of them. */
export function supportsJsonSchema({ endpoint }: Pick<Model, "endpoint">): boolean {
  const { hostname, pathname } = new URL(endpoint);
  return !/\/v1(\/|$)/.test(pathname) || hostname.endsWith("aiplatform.googleapis.com");
}

/** Google's own cloud takes a token; the API for everybody else a key in a header of its own. */
export function geminiCredentialHeader(
  { authType }: Pick<Model, "authType">,
  credential: Secret | undefined,
): Record<string, string> {
  if (credential === undefined || authType === "none") return {};
  return authType === "bearer"
    ? { authorization: `Bearer ${credential.reveal()}` }
    : { "x-goog-api-key": credential.reveal() };
}
