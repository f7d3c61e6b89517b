import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { attachmentsOf, textOf } from "@trunkline/core/conversation.ts";
import { RERANK, SPEECH_TRANSLATION } from "@trunkline/core/inference.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { CompatibleProvider } from "./compatible-providers.ts";

/** The operations of a provider of this format. */
export type Operation =
  | "chat"
  | "embeddings"
  | "rerank"
  | "images"
  | "image-edits"
  | "image-variations"
  | "speech"
  | "transcription"
  | "translation";

/** The operation of a call, from its task and the model's type. */
export function operationOf({ model, inference }: Pick<ProviderCall, "model" | "inference">): Operation {
  if (inference.task.kind === "transcription")
    return inference.task.word === SPEECH_TRANSLATION ? "translation" : "transcription";
  switch (model.type) {
    case "embedding":
      return inference.task.word === RERANK ? "rerank" : "embeddings";
    case "image":
      return imageOperationOf(inference);
    case "audio":
      return "speech";
    default:
      return "chat";
  }
}

/** Images are made of words, of words and images, or of an image alone. */
function imageOperationOf({ conversation }: ProviderCall["inference"]): Operation {
  if (attachmentsOf(conversation).length === 0) return "images";
  return textOf(conversation) === "" ? "image-variations" : "image-edits";
}

const OPERATION_PATHS: Readonly<Record<Operation | "realtime", string>> = {
  chat: "/chat/completions",
  embeddings: "/embeddings",
  rerank: "/rerank",
  images: "/images/generations",
  "image-edits": "/images/edits",
  "image-variations": "/images/variations",
  speech: "/audio/speech",
  transcription: "/audio/transcriptions",
  translation: "/audio/translations",
  realtime: "/realtime",
};

/**
 * The URL of an operation below a model's endpoint, whose query is kept. Where the endpoint of a known provider is only
 * its host, the path of its base is added.
 */
export function operationUrl(
  model: Pick<Model, "endpoint" | "name" | "upstreamModel">,
  operation: Operation | "realtime",
  base: CompatibleProvider | undefined,
): string {
  const url = new URL(model.endpoint);
  const path = url.pathname.replace(/\/+$/, "");
  if (base?.quirks.deployments === true && url.searchParams.has("api-version") && lacksDeployment(path))
    url.pathname = `/openai/deployments/${encodeURIComponent(upstreamNameOf(model))}${OPERATION_PATHS[operation]}`;
  else url.pathname = (path === "" ? pathOf(base?.baseUrl) : path) + OPERATION_PATHS[operation];
  return url.href;
}

/** Whether the deployment has to be added: the newer form of that API has none in its path. */
function lacksDeployment(path: string): boolean {
  return path === "" || path === "/openai";
}

function pathOf(baseUrl: string | undefined): string {
  const path = baseUrl?.split("/").slice(3).join("/") ?? "";
  return path === "" ? "" : `/${path}`;
}
