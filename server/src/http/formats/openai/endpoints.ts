import type { Endpoint, InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { chatBody, readChat } from "./chat/request.ts";
import { chatChunkSchema, chatResponseSchema, toChatResponse } from "./chat/response.ts";
import { streamChat } from "./chat/stream.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { embeddingsEndpoint } from "./embeddings.ts";
import { imageEditsEndpoint, imageVariationsEndpoint } from "./image-edits.ts";
import { imagesEndpoint } from "./images.ts";
import { moderationsEndpoint } from "./moderations.ts";
import { EVENT_STREAM_TYPE } from "./response-parts.ts";
import { readResponse, responsesBody } from "./responses/request.ts";
import { RESPONSE_ECHOED_FIELDS, responseEventSchema, responseSchema } from "./responses/response.ts";
import { type ResponseEvent, ResponseWriter } from "./responses/stream.ts";
import { speechEndpoint } from "./speech.ts";
import { transcriptionsEndpoint, translationsEndpoint } from "./transcriptions.ts";

const chatEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/chat/completions",
  summary: "Chat, in OpenAI's form",
  description:
    "For OpenAI's own libraries and whatever else speaks their format: set the base URL to `/openai/v1`. With `stream: true` the answer comes as events, the last one `data: [DONE]`; an error in the middle is an event with `error`. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  allowsLargeBody: true,
  body: chatBody.schema,
  response: chatResponseSchema,
  event: chatChunkSchema,
  answerFields: ["stream_options", "usage", "reasoning", "functions", "tools"],
  read: readChat,
  whole: toChatResponse,
  stream: streamChat,
};

export const openAiChatEndpoints: readonly Endpoint[] = [chatEndpoint];

/** `POST /openai/v1/responses` */
const responsesEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/responses",
  summary: "Answer, in the form of OpenAI's Responses",
  description:
    "Nothing is stored: every request brings its whole conversation. With `stream: true` the answer comes as typed events. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  allowsLargeBody: true,
  body: responsesBody.schema.loose(),
  response: responseSchema,
  event: responseEventSchema,
  answerFields: RESPONSE_ECHOED_FIELDS,
  read: readResponse,
  whole({ parts, receipt, trace, requestBody }) {
    const writer = new ResponseWriter(trace, requestBody, receipt);
    for (const part of [...parts, receipt]) Array.from(writer.write(part));
    return writer.finish(receipt);
  },
  stream(_request, requestTrace, requestBody) {
    const writer = new ResponseWriter(requestTrace, requestBody);
    return {
      contentType: EVENT_STREAM_TYPE,
      write: (part) => formatEvents(writer.write(part)),
      fail: (fault) => formatEvents(writer.fail(fault)),
    };
  },
};

/** Each event is sent with its name. */
function formatEvents(responseEvents: Iterable<ResponseEvent>): string {
  return Array.from(
    responseEvents,
    (responseEvent) => `event: ${responseEvent.type}\ndata: ${JSON.stringify(responseEvent)}\n\n`,
  ).join("");
}

/** OpenAI's operations besides chats. */
export const openAiOtherEndpoints: readonly Endpoint[] = [
  responsesEndpoint,
  embeddingsEndpoint,
  imagesEndpoint,
  imageEditsEndpoint,
  imageVariationsEndpoint,
  speechEndpoint,
  transcriptionsEndpoint,
  translationsEndpoint,
  moderationsEndpoint,
];
