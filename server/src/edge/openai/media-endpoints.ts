import type { Endpoint } from "../endpoint.ts";
import { embeddings } from "./embeddings.ts";
import { images } from "./images.ts";
import { moderations } from "./moderations.ts";
import { speech } from "./speech.ts";
import { transcriptions } from "./transcriptions.ts";

/** What OpenAI's libraries can ask for besides words. */
export const openAiMediaEndpoints: readonly Endpoint[] = [
  embeddings,
  images,
  speech,
  transcriptions,
  moderations,
];
