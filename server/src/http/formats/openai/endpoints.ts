import type { Endpoint, InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { chatBody } from "./chat/chat-body.ts";
import { chunkShown, completionShown } from "./chat/chat-shown.ts";
import { readChat } from "./chat/read-chat.ts";
import { showChat } from "./chat/show-chat.ts";
import { streamChat } from "./chat/stream.ts";
import { openAiInference } from "./openai-inference.ts";

const chat: InferenceEndpoint = {
  ...openAiInference,
  path: "/openai/v1/chat/completions",
  summary: "Chat, in OpenAI's form",
  description:
    "For OpenAI's own libraries and whatever else speaks their format: set the base URL to `/openai/v1`. With `stream: true` the answer comes as events, the last one `data: [DONE]`; an error in the middle is an event with `error`. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  takesMedia: true,
  body: chatBody,
  answer: completionShown,
  event: chunkShown,
  read: readChat,
  whole: showChat,
  stream: streamChat,
};

export const openAiChatEndpoints: readonly Endpoint[] = [chat];
