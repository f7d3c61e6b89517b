import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { CompatibleProvider } from "./compatible-providers.ts";

/** What a provider of this wire can be asked for. */
export type Operation = "chat" | "embeddings" | "images" | "speech" | "transcription";

/** What one call asks for: it follows from the kind of work, and from what the model is. */
export function operationOf({ model, inference }: Pick<ProviderCall, "model" | "inference">): Operation {
  if (inference.task.kind === "transcription") return "transcription";
  switch (model.type) {
    case "embedding":
      return "embeddings";
    case "image":
      return "images";
    case "audio":
      return "speech";
    default:
      return "chat";
  }
}

const OPERATION_PATHS: Readonly<Record<Operation, string>> = {
  chat: "/chat/completions",
  embeddings: "/embeddings",
  images: "/images/generations",
  speech: "/audio/speech",
  transcription: "/audio/transcriptions",
};

/**
 * The address of an operation below a model's endpoint, whose query is kept. Where the endpoint of a provider that we
 * know is nothing but its host, the rest of its base is put in.
 */
export function operationUrl(
  model: Pick<Model, "endpoint" | "name" | "upstreamModel">,
  operation: Operation,
  base: CompatibleProvider | undefined,
): string {
  const url = new URL(model.endpoint);
  const path = url.pathname.replace(/\/+$/, "");
  if (base?.quirks.deployments === true && url.searchParams.has("api-version") && lacksDeployment(path))
    url.pathname = `/openai/deployments/${encodeURIComponent(upstreamNameOf(model))}${OPERATION_PATHS[operation]}`;
  else url.pathname = (path === "" ? pathOf(base?.baseUrl) : path) + OPERATION_PATHS[operation];
  return url.href;
}

/** Whether the deployment is still to be named: the newer form of that API has none in its path. */
function lacksDeployment(path: string): boolean {
  return path === "" || path === "/openai";
}

function pathOf(baseUrl: string | undefined): string {
  const path = baseUrl?.split("/").slice(3).join("/") ?? "";
  return path === "" ? "" : `/${path}`;
}
