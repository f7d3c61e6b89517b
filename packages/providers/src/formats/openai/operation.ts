import type { ProviderCall } from "@trunkline/core/adapter.ts";

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
