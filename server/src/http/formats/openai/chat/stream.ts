import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { StreamWriter } from "../../../endpoints/endpoint.ts";
import { readObject } from "../../../requests/fields.ts";
import { answeringModelsField } from "../../../responses/answer.ts";
import { toOpenAiError } from "../dialect.ts";
import { readIncludeUsage } from "../fields.ts";
import { EVENT_STREAM_TYPE, formatEvent, identifyResponse, STREAM_DONE, toUsage } from "../response-parts.ts";
import { type chatChunkSchema, toFinishReason, toFunctionCall, toToolCall, usesLegacyFunctions } from "./response.ts";

type Chunk = z.infer<typeof chatChunkSchema>;
type ChunkChoice = Chunk["choices"][number];

/** The progress of one choice. */
interface ChoiceProgress {
  calls: number;
  isFinished: boolean;
}

/** Streams an answer of `chat/completions` as `chat.completion.chunk` events. */
export function streamChat(_request: FastifyRequest, requestTrace: RequestTrace, requestBody: unknown): StreamWriter {
  const writer = new ChatChunkWriter(requestTrace, requestBody);
  return {
    contentType: EVENT_STREAM_TYPE,
    write: (part) => [...writer.write(part)].join(""),
    fail: (fault) => formatEvent(toOpenAiError(fault)),
  };
}

class ChatChunkWriter {
  readonly #head: Pick<Chunk, "id" | "object" | "created" | "model" | "system_fingerprint">;
  readonly #includeUsage: boolean;
  readonly #callsAsFunctions: boolean;
  readonly #choices = new Map<number, ChoiceProgress>();

  constructor(requestTrace: RequestTrace, requestBody: unknown) {
    const { id, created, model } = identifyResponse("chatcmpl", requestTrace);
    this.#head = { id, object: "chat.completion.chunk", created, model, system_fingerprint: null };
    this.#includeUsage = readIncludeUsage(readObject(requestBody, ""));
    this.#callsAsFunctions = usesLegacyFunctions(requestBody);
  }

  *write(part: Part | Receipt): Generator<string> {
    if (part.type === "receipt") {
      yield* this.#end(part);
      return;
    }
    if (part.type === "usage" || part.type === "media" || part.type === "embedding") return;
    const index = part.choice ?? 0;
    const choiceProgress = yield* this.#open(index);
    switch (part.type) {
      case "text":
        yield this.#chunk({ index, delta: { content: part.text } });
        return;
      case "thinking":
        if (part.text !== "") yield this.#chunk({ index, delta: { reasoning_content: part.text } });
        return;
      case "tool-call": {
        const place = choiceProgress.calls;
        choiceProgress.calls += 1;
        if (!this.#callsAsFunctions)
          yield this.#chunk({ index, delta: { tool_calls: [{ index: place, ...toToolCall(part) }] } });
        else if (place === 0) yield this.#chunk({ index, delta: { function_call: toFunctionCall(part) } });
        return;
      }
      case "logprobs":
        yield this.#chunk({ index, delta: {}, logprobs: { content: [...part.content], refusal: null } });
        return;
      case "finish":
        yield* this.#finish(index, choiceProgress, part.reason);
    }
  }

  /** Every choice starts with its role. */
  *#open(index: number): Generator<string, ChoiceProgress> {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const progress = { calls: 0, isFinished: false };
    this.#choices.set(index, progress);
    yield this.#chunk({ index, delta: { role: "assistant", content: "" } });
    return progress;
  }

  *#finish(
    index: number,
    choiceProgress: ChoiceProgress,
    reason: Parameters<typeof toFinishReason>[0],
  ): Generator<string> {
    if (choiceProgress.isFinished) return;
    choiceProgress.isFinished = true;
    const finish_reason = toFinishReason(reason, choiceProgress.calls > 0, this.#callsAsFunctions);
    yield this.#chunk({ index, delta: {}, finish_reason });
  }

  /** Ends every choice that the provider left open: clients wait for that. */
  *#end(receipt: Receipt): Generator<string> {
    yield* this.#open(0);
    for (const [index, choiceProgress] of this.#choices) yield* this.#finish(index, choiceProgress, "unknown");
    const answeringModels = answeringModelsField(receipt);
    if (this.#includeUsage)
      yield formatEvent({ ...this.#head, ...answeringModels, choices: [], usage: toUsage(receipt) });
    // A client that did not ask for the usage expects a choice in every chunk.
    else if (answeringModels.trunkline !== undefined) yield this.#chunk({ index: 0, delta: {} }, answeringModels);
    yield STREAM_DONE;
  }

  #chunk(
    choice: Pick<ChunkChoice, "index" | "delta"> & Partial<ChunkChoice>,
    answeringModels: ReturnType<typeof answeringModelsField> = {},
  ): string {
    const chunk: Chunk & typeof answeringModels = {
      ...this.#head,
      ...answeringModels,
      choices: [{ logprobs: null, finish_reason: null, ...choice }],
      ...(this.#includeUsage ? { usage: null } : {}),
    };
    return formatEvent(chunk);
  }
}
