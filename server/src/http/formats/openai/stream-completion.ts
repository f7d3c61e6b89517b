import type { Part } from "@trunkline/core/answer.ts";
import type { RequestTrace } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { FastifyRequest } from "fastify";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { readObject } from "../../requests/fields.ts";
import { answeringModelsField } from "../../responses/models-that-spoke.ts";
import { toOpenAiError } from "./dialect.ts";
import { identifyResponse } from "./identify-answer.ts";
import { readIncludeUsage } from "./read-sampling.ts";
import {
  type CompletionChoice,
  type CompletionResponse,
  toCompletionFinishReason,
  toCompletionLogprobs,
} from "./show-completion.ts";
import { toUsage } from "./show-usage.ts";
import { EVENT_STREAM_TYPE, formatEvent, STREAM_DONE } from "./stream-events.ts";

/** An answer of the old `completions` as it comes: the same object again and again, each with a little more. */
export function streamCompletion(
  _request: FastifyRequest,
  requestTrace: RequestTrace,
  asked: unknown,
): StreamWriter {
  const includeUsage = readIncludeUsage(readObject(asked, ""));
  const { id, created, model } = identifyResponse("cmpl", requestTrace);
  const head = { id, object: "text_completion" as const, created, model, system_fingerprint: null };
  const finished = new Set<number>();
  const write = (choice: Pick<CompletionChoice, "index"> & Partial<CompletionChoice>) => {
    const completion: CompletionResponse = {
      ...head,
      choices: [{ text: "", logprobs: null, finish_reason: null, ...choice }],
      ...(includeUsage ? { usage: null } : {}),
    };
    return formatEvent(completion);
  };
  const finish = (index: number, finish_reason: CompletionChoice["finish_reason"]) => {
    finished.add(index);
    return write({ index, finish_reason });
  };
  const end = (receipt: Receipt) => [
    // Clients wait for the end of the first choice, at least.
    ...(finished.has(0) ? [] : [finish(0, "stop")]),
    ...(includeUsage
      ? [formatEvent({ ...head, ...answeringModelsField(receipt), choices: [], usage: toUsage(receipt) })]
      : []),
    STREAM_DONE,
  ];
  return {
    contentType: EVENT_STREAM_TYPE,
    write(part: Part | Receipt) {
      switch (part.type) {
        case "text":
          return write({ index: part.choice ?? 0, text: part.text });
        case "logprobs":
          return write({ index: part.choice ?? 0, logprobs: toCompletionLogprobs(part.content) });
        case "finish":
          return finish(part.choice ?? 0, toCompletionFinishReason(part.reason));
        case "receipt":
          return end(part).join("");
        default:
          return "";
      }
    },
    fail: (fault) => formatEvent(toOpenAiError(fault)),
  };
}
