import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { AccessToken } from "../../credentials/cloud-credential.ts";

type Operation = "generateContent" | "streamGenerateContent" | "batchEmbedContents" | "predict";

const VERSION = /\/v\d+(alpha|beta)?\d*(\/|$)/;

/** The URL of an operation. A base without a version gets the API's usual one; any other base is used unchanged. */
export function operationUrl(model: Pick<Model, "endpoint" | "upstreamModel" | "name">, operation: Operation) {
  const url = new URL(model.endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  const version = VERSION.test(base) ? "" : "/v1beta";
  url.pathname = `${base}${version}/models/${encodeURIComponent(modelIdOf(model))}:${operation}`;
  // Without it a stream is one JSON list, which some gateways buffer.
  if (operation === "streamGenerateContent") url.searchParams.set("alt", "sse");
  return url.href;
}

/** Whether a base is that of the publisher models of Vertex AI. */
export function isVertex({ endpoint }: Pick<Model, "endpoint">): boolean {
  return /\/publishers\/google\/*$/.test(endpoint);
}

/** Some registrations use the name as the API lists it, with a prefix. */
export function modelIdOf(model: Pick<Model, "upstreamModel" | "name">): string {
  return upstreamNameOf(model).replace(/^models\//, "");
}

/** Whether full JSON schemas can be sent. The API's first version supports only a small subset. */
export function supportsJsonSchema({ endpoint }: Pick<Model, "endpoint">): boolean {
  const { hostname, pathname } = new URL(endpoint);
  return !/\/v1(\/|$)/.test(pathname) || hostname.endsWith("aiplatform.googleapis.com");
}

/** Vertex AI expects a bearer token; the public API a key in its own header. */
export function geminiCredentialHeader(
  { authType }: Pick<Model, "authType">,
  credential: Secret | undefined,
): Record<string, string> {
  if (credential === undefined || authType === "none") return {};
  return authType === "bearer" || credential instanceof AccessToken
    ? { authorization: `Bearer ${credential.reveal()}` }
    : { "x-goog-api-key": credential.reveal() };
}
