import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { openAiInferenceDefaults } from "./openai-inference.ts";
import type { ResponseEvent } from "./responses/item-writer.ts";
import { readResponse } from "./responses/read-response.ts";
import { responsesRequestSchema } from "./responses/response-body.ts";
import { responseEventSchema, responseSchema } from "./responses/response-shown.ts";
import { ResponseWriter } from "./responses/response-writer.ts";
import { EVENT_STREAM_TYPE } from "./stream-events.ts";

/** `POST /openai/v1/responses` */
export const responsesEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/responses",
  summary: "Answer, in the form of OpenAI's Responses",
  description:
    "Nothing is stored: every request brings its whole conversation. With `stream: true` the answer comes as typed events. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  allowsLargeBody: true,
  body: responsesRequestSchema,
  response: responseSchema,
  event: responseEventSchema,
  read: readResponse,
  whole({ parts, receipt, trace: requestTrace, requestBody: asked }) {
    const writer = new ResponseWriter(requestTrace, asked, receipt);
    for (const part of [...parts, receipt]) Array.from(writer.write(part));
    return writer.finish(receipt);
  },
  stream(_request, requestTrace, asked) {
    const writer = new ResponseWriter(requestTrace, asked);
    return {
      contentType: EVENT_STREAM_TYPE,
      write: (part) => formatEvents(writer.write(part)),
      fail: (fault) => formatEvents(writer.fail(fault)),
    };
  },
};

/** These events carry their names. */
function formatEvents(responseEvents: Iterable<ResponseEvent>): string {
  return Array.from(
    responseEvents,
    (responseEvent) => `event: ${responseEvent.type}\ndata: ${JSON.stringify(responseEvent)}\n\n`,
  ).join("");
}
