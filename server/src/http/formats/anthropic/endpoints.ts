import { countInput } from "@trunkline/core/quote.ts";
import { z } from "zod";
import { control, type Endpoint, type InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { INFERENCE_FAULTS } from "../../endpoints/inference-faults.ts";
import { anthropicDialect } from "./dialect.ts";
import { anthropicModelEndpoints } from "./models.ts";
import { readCounted, readMessages } from "./read-messages.ts";
import { showMessage } from "./response.ts";
import { countBody, message, messageEvent, messagesBody } from "./schema.ts";
import { streamMessage } from "./stream.ts";

const messages: InferenceEndpoint = {
  kind: "inference",
  method: "POST",
  path: "/anthropic/v1/messages",
  dialect: anthropicDialect,
  power: "inference.use",
  tag: "Anthropic",
  summary: "Answer a message, in Anthropic's form",
  description:
    "Any model here may answer, whatever wire it speaks. Fields that nothing was made of are listed in the header `x-trunkline-dropped`. With `stream: true` the answer comes in Anthropic's events.",
  faults: INFERENCE_FAULTS,
  body: messagesBody,
  answer: message,
  event: messageEvent,
  takesMedia: true,
  read: readMessages,
  whole: showMessage,
  stream: (_request, journal) => streamMessage(journal),
};

const countMessageTokens = control({
  method: "POST",
  path: "/anthropic/v1/messages/count_tokens",
  dialect: anthropicDialect,
  power: "inference.use",
  deed: null,
  status: 200,
  tag: "Anthropic",
  summary: "Estimate how many tokens a message has",
  description:
    "Our own count, the one that requests are quoted by: an estimate, within about a tenth of most tokenizers. Nobody is called and nothing is charged.",
  faults: [],
  body: countBody,
  bodyUnchecked: true,
  takesMedia: true,
  answer: z.object({ input_tokens: z.number() }),
  handle: async ({ body }) => ({ input_tokens: countInput(readCounted(body)) }),
});

export const anthropicEndpoints: readonly Endpoint[] = [
  messages,
  countMessageTokens,
  ...anthropicModelEndpoints,
];
