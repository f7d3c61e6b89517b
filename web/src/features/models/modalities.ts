import type { Offer } from "../../api/catalogue.ts";

export type Modality = "text" | "image" | "audio" | "vector";

/** What goes into a model and what comes out of it, by its type and what it lists. */
export function modalitiesOf({ type, capabilities }: Pick<Offer, "type" | "capabilities">): {
  readonly input: readonly Modality[];
  readonly output: readonly Modality[];
} {
  const lists = (...names: string[]) => capabilities.some((capability) => names.includes(capability.toLowerCase()));
  switch (type) {
    case "image":
      return { input: lists("image-editing", "image-edit") ? ["text", "image"] : ["text"], output: ["image"] };
    case "audio":
      // A model that listens is the opposite of one that speaks.
      return lists("transcription", "speech-to-text", "stt") && !lists("speech", "text-to-speech", "tts")
        ? { input: ["audio"], output: ["text"] }
        : { input: ["text"], output: ["audio"] };
    case "embedding":
      return { input: ["text"], output: ["vector"] };
    case "multimodal":
      return { input: lists("audio") ? ["text", "image", "audio"] : ["text", "image"], output: ["text"] };
    case "text":
      return { input: ["text"], output: ["text"] };
  }
}
