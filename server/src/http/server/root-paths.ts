import type { IncomingHttpHeaders } from "node:http";

/** Paths of other wire formats that clients also find without the prefix of the format. */
const OPENAI_PATHS = [
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/responses",
  "/v1/conversations",
  "/v1/rerank",
  "/v1/images/generations",
  "/v1/images/edits",
  "/v1/images/variations",
  "/v1/audio/speech",
  "/v1/audio/transcriptions",
  "/v1/audio/translations",
  "/v1/moderations",
  "/v1/realtime",
];
const ANTHROPIC_PATHS = ["/v1/messages", "/v1/messages/count_tokens"];

const RERANK_PATHS = ["/v2/rerank", "/cohere/v1/rerank", "/cohere/v2/rerank"];

const PREFIXED: ReadonlyMap<string, string> = new Map([
  ...RERANK_PATHS.map((path) => [path, "/openai/v1/rerank"] as const),
  ...OPENAI_PATHS.map((path) => [path, `/openai${path}`] as const),
  ...ANTHROPIC_PATHS.map((path) => [path, `/anthropic${path}`] as const),
]);

/** Paths below those, with an id. */
const OPENAI_SUBPATHS = /^\/v1\/(?:responses|conversations)\//;

/** Paths that our own format has as well. A client of another format tells by its headers, or by `?format=`. */
const SHARED = /^\/v1\/(?:models|embeddings|files|batches)(?=[/?]|$)/;
const FORMAT_WISH = /[?&]format=(openai|anthropic)(?=&|$)/;
/** Those of them that Anthropic's format has. */
const ANTHROPIC_SHARED = /^\/v1\/(?:models|files)(?=[/?]|$)/;

const MESSAGE_BATCHES = /^\/v1\/messages\/batches(?=[/?]|$)/;

/** Azure's paths that name the model, and those that don't. */
const AZURE_DEPLOYMENT = /^\/openai\/deployments\/([^/?]+)\/([^?]*)(?:\?(.*))?$/;
const AZURE = /^\/openai\/(?=(?:responses|conversations)(?:[/?]|$))/;

/** The name of a query parameter that no client sends: the model that Azure's path names, for bodies without one. */
export const DEPLOYMENT_PARAM = "azure-deployment";

/**
 * The address of an operation, by which it is routed: clients of other wire formats find theirs at the root as well, and at
 * Azure's paths. Every other address is returned as it is.
 */
export function canonicalUrl(url: string, headers: IncomingHttpHeaders): string {
  const known = PREFIXED.get(url);
  if (known !== undefined) return known;
  if (url.startsWith("/v1beta/")) return `/gemini${url}`;
  if (url.startsWith("/api/")) return `/ollama${url}`;
  if (url.startsWith("/openai/")) return url.startsWith("/openai/v1/") ? url : azureUrl(url);
  if (!url.startsWith("/v1/")) return url;
  if (MESSAGE_BATCHES.test(url)) return `/anthropic${url}`;
  if (SHARED.test(url)) {
    const format = FORMAT_WISH.exec(url)?.[1] ?? formatOf(headers);
    if (format === "openai") return `/openai${url}`;
    return format === "anthropic" && ANTHROPIC_SHARED.test(url) ? `/anthropic${url}` : url;
  }
  if (OPENAI_SUBPATHS.test(url)) return `/openai${url}`;
  const queryAt = url.indexOf("?");
  const prefixed = queryAt === -1 ? undefined : PREFIXED.get(url.slice(0, queryAt));
  return prefixed === undefined ? url : prefixed + url.slice(queryAt);
}

function azureUrl(url: string): string {
  const [, deployment, path, query = ""] = AZURE_DEPLOYMENT.exec(url) ?? [];
  if (deployment === undefined) return url.replace(AZURE, "/openai/v1/");
  return `/openai/v1/${path}?${DEPLOYMENT_PARAM}=${deployment}&${query}`;
}

/** The format that a client's library speaks. Anthropic's is built like OpenAI's, but names its version. */
function formatOf(headers: IncomingHttpHeaders): "openai" | "anthropic" | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(String(headers["anthropic-version"]))) return "anthropic";
  for (const name in headers)
    if (name.startsWith("x-stainless-") || name === "openai-organization" || name === "openai-beta") return "openai";
  return undefined;
}
