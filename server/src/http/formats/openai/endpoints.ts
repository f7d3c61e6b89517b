import { type Endpoint, INFERENCE_FAULTS, type InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { chatBody, needsFiles, prepareChat, readChat } from "./chat/request.ts";
import { chatChunkSchema, chatResponseSchema, toChatResponse } from "./chat/response.ts";
import { streamChat } from "./chat/stream.ts";
import { conversationEndpoints } from "./conversations.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { embeddingsEndpoint } from "./embeddings.ts";
import { imageEditsEndpoint, imageVariationsEndpoint } from "./image-edits.ts";
import { imagesEndpoint } from "./images.ts";
import { moderationsEndpoint } from "./moderations.ts";
import { realtimeEndpoint } from "./realtime.ts";
import { rerankEndpoint } from "./rerank.ts";
import { EVENT_STREAM_TYPE } from "./response-parts.ts";
import { prepareResponse } from "./responses/prepare.ts";
import { readResponse, responsesBody } from "./responses/request.ts";
import { RESPONSE_ECHOED_FIELDS, responseEventSchema, responseSchema } from "./responses/response.ts";
import { storedResponseEndpoints } from "./responses/stored-responses.ts";
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
  needsPreparation: needsFiles,
  prepare: prepareChat,
  read: readChat,
  whole: toChatResponse,
  stream: streamChat,
};

export const openAiChatEndpoints: readonly Endpoint[] = [chatEndpoint];

/** `POST /openai/v1/responses` */
const responsesEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  faults: [...INFERENCE_FAULTS, "previous_response_not_found", "not_found"],
  path: "/openai/v1/responses",
  summary: "Answer, in the form of OpenAI's Responses",
  description:
    "The response is kept for 30 days, encrypted, unless `store` is false: a later request can continue it by `previous_response_id`. With `stream: true` the answer comes as typed events. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  allowsLargeBody: true,
  body: responsesBody.schema.loose(),
  response: responseSchema,
  event: responseEventSchema,
  answerFields: RESPONSE_ECHOED_FIELDS,
  prepare: prepareResponse,
  read: readResponse,
  whole({ parts, receipt, trace, requestBody, context }) {
    const writer = new ResponseWriter(trace, requestBody, context, receipt);
    for (const part of parts) Array.from(writer.write(part));
    return writer.finish(receipt);
  },
  stream(_request, requestTrace, requestBody, context) {
    const writer = new ResponseWriter(requestTrace, requestBody, context);
    return {
      contentType: EVENT_STREAM_TYPE,
      write: (part) => (part.type === "receipt" ? "" : formatEvents(writer.write(part))),
      fail: (fault) => formatEvents(writer.fail(fault)),
      async finish(receipt) {
        let frames = "";
        for await (const responseEvent of writer.complete(receipt)) frames += formatEvent(responseEvent);
        return frames;
      },
    };
  },
};

function formatEvents(responseEvents: Iterable<ResponseEvent>): string {
  return Array.from(responseEvents, formatEvent).join("");
}

/** Each event is sent with its name. */
function formatEvent(responseEvent: ResponseEvent): string {
  return `event: ${responseEvent.type}\ndata: ${JSON.stringify(responseEvent)}\n\n`;
}

/** OpenAI's operations besides chats. */
export const openAiOtherEndpoints: readonly Endpoint[] = [
  responsesEndpoint,
  ...storedResponseEndpoints,
  ...conversationEndpoints,
  embeddingsEndpoint,
  rerankEndpoint,
  imagesEndpoint,
  imageEditsEndpoint,
  imageVariationsEndpoint,
  speechEndpoint,
  transcriptionsEndpoint,
  translationsEndpoint,
  realtimeEndpoint,
  moderationsEndpoint,
];
