import type { Endpoint, InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { chatRequestSchema } from "./chat/chat-body.ts";
import { chatChunkSchema, chatResponseSchema } from "./chat/chat-shown.ts";
import { readChat } from "./chat/read-chat.ts";
import { toChatResponse } from "./chat/show-chat.ts";
import { streamChat } from "./chat/stream.ts";
import { openAiInferenceDefaults } from "./openai-inference.ts";

const chatEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/chat/completions",
  summary: "Chat, in OpenAI's form",
  description:
    "For OpenAI's own libraries and whatever else speaks their format: set the base URL to `/openai/v1`. With `stream: true` the answer comes as events, the last one `data: [DONE]`; an error in the middle is an event with `error`. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  allowsLargeBody: true,
  body: chatRequestSchema,
  response: chatResponseSchema,
  event: chatChunkSchema,
  read: readChat,
  whole: toChatResponse,
  stream: streamChat,
};

export const openAiChatEndpoints: readonly Endpoint[] = [chatEndpoint];
