import type { Endpoint } from "../../endpoints/endpoint.ts";
import { embeddings } from "./embeddings.ts";
import { responses } from "./endpoint.ts";
import { images } from "./images.ts";
import { moderations } from "./moderations.ts";
import { speech } from "./speech.ts";
import { transcriptions } from "./transcriptions.ts";

/** What OpenAI's libraries can ask for besides chats. */
export const openAiOtherEndpoints: readonly Endpoint[] = [
  responses,
  embeddings,
  images,
  speech,
  transcriptions,
  moderations,
];
