import type { Part } from "@trunkline/core/answer.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { FastifyRequest } from "fastify";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { readObject } from "../../requests/fields.ts";
import { tellModels } from "../../responses/models-that-spoke.ts";
import { openAiErrorOf } from "./dialect.ts";
import { identifyAnswer } from "./identify-answer.ts";
import { readIncludeUsage } from "./read-sampling.ts";
import {
  oldFinishReasonOf,
  showOldLogprobs,
  type TextChoice,
  type TextCompletion,
} from "./show-completion.ts";
import { showUsage } from "./show-usage.ts";
import { DONE, EVENT_STREAM, frameEvent } from "./stream-events.ts";

/** An answer of the old `completions` as it comes: the same object again and again, each with a little more. */
export function streamCompletion(_request: FastifyRequest, journal: Journal, asked: unknown): StreamWriter {
  const includeUsage = readIncludeUsage(readObject(asked, ""));
  const { id, created, model } = identifyAnswer("cmpl", journal);
  const head = { id, object: "text_completion" as const, created, model, system_fingerprint: null };
  const finished = new Set<number>();
  const write = (choice: Pick<TextChoice, "index"> & Partial<TextChoice>) => {
    const completion: TextCompletion = {
      ...head,
      choices: [{ text: "", logprobs: null, finish_reason: null, ...choice }],
      ...(includeUsage ? { usage: null } : {}),
    };
    return frameEvent(completion);
  };
  const finish = (index: number, finish_reason: TextChoice["finish_reason"]) => {
    finished.add(index);
    return write({ index, finish_reason });
  };
  const end = (receipt: Receipt) => [
    // Clients wait for the end of the first choice, at least.
    ...(finished.has(0) ? [] : [finish(0, "stop")]),
    ...(includeUsage
      ? [frameEvent({ ...head, ...tellModels(receipt), choices: [], usage: showUsage(receipt) })]
      : []),
    DONE,
  ];
  return {
    contentType: EVENT_STREAM,
    write(part: Part | Receipt) {
      switch (part.type) {
        case "text":
          return write({ index: part.choice ?? 0, text: part.text });
        case "logprobs":
          return write({ index: part.choice ?? 0, logprobs: showOldLogprobs(part.content) });
        case "finish":
          return finish(part.choice ?? 0, oldFinishReasonOf(part.reason));
        case "receipt":
          return end(part).join("");
        default:
          return "";
      }
    },
    fail: (fault) => frameEvent(openAiErrorOf(fault)),
  };
}
