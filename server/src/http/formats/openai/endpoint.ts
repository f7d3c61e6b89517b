import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { openAiInference } from "./openai-inference.ts";
import type { Event } from "./responses/item-writer.ts";
import { readResponse } from "./responses/read-response.ts";
import { responseBody } from "./responses/response-body.ts";
import { responseEvent, responseShown } from "./responses/response-shown.ts";
import { ResponseWriter } from "./responses/response-writer.ts";
import { EVENT_STREAM } from "./stream-events.ts";

/** `POST /openai/v1/responses` */
export const responses: InferenceEndpoint = {
  ...openAiInference,
  path: "/openai/v1/responses",
  summary: "Answer, in the form of OpenAI's Responses",
  description:
    "Nothing is stored: every request brings its whole conversation. With `stream: true` the answer comes as typed events. Fields that nothing is made of are listed in the header `x-trunkline-dropped`.",
  takesMedia: true,
  body: responseBody,
  answer: responseShown,
  event: responseEvent,
  read: readResponse,
  whole({ parts, receipt, journal, asked }) {
    const writer = new ResponseWriter(journal, asked, receipt);
    for (const part of [...parts, receipt]) Array.from(writer.write(part));
    return writer.finish(receipt);
  },
  stream(_request, journal, asked) {
    const writer = new ResponseWriter(journal, asked);
    return {
      contentType: EVENT_STREAM,
      write: (part) => frame(writer.write(part)),
      fail: (fault) => frame(writer.fail(fault)),
    };
  },
};

/** These events carry their names. */
function frame(events: Iterable<Event>): string {
  return Array.from(events, (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
