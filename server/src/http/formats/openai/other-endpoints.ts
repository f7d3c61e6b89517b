import type { Endpoint } from "../../endpoints/endpoint.ts";
import { embeddingsEndpoint } from "./embeddings.ts";
import { responsesEndpoint } from "./endpoint.ts";
import { imagesEndpoint } from "./images.ts";
import { moderationsEndpoint } from "./moderations.ts";
import { speechEndpoint } from "./speech.ts";
import { transcriptionsEndpoint } from "./transcriptions.ts";

/** What OpenAI's libraries can ask for besides chats. */
export const openAiOtherEndpoints: readonly Endpoint[] = [
  responsesEndpoint,
  embeddingsEndpoint,
  imagesEndpoint,
  speechEndpoint,
  transcriptionsEndpoint,
  moderationsEndpoint,
];
