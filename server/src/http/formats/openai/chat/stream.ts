import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { z } from "zod";
import type { StreamWriter } from "../../../endpoints/endpoint.ts";
import type { HttpRequest } from "../../../endpoints/http-request.ts";
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
export function streamChat(_request: HttpRequest, requestTrace: RequestTrace, requestBody: unknown): StreamWriter {
  const writer = new ChatChunkWriter(requestTrace, requestBody);
  return {
    contentType: EVENT_STREAM_TYPE,
    write: (part) => writer.write(part),
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

  write(part: Part | Receipt): string {
    if (part.type === "receipt") return this.#end(part);
    if (part.type === "usage" || part.type === "media" || part.type === "embedding") return "";
    const index = part.choice ?? 0;
    const known = this.#choices.get(index);
    const choiceProgress = known ?? { calls: 0, isFinished: false };
    const head = known === undefined ? this.#open(index, choiceProgress) : "";
    switch (part.type) {
      case "text":
        return head + this.#chunk({ index, delta: { content: part.text } });
      case "thinking":
        return part.text === "" ? head : head + this.#chunk({ index, delta: { reasoning_content: part.text } });
      case "tool-call": {
        const place = choiceProgress.calls;
        choiceProgress.calls += 1;
        if (!this.#callsAsFunctions)
          return head + this.#chunk({ index, delta: { tool_calls: [{ index: place, ...toToolCall(part) }] } });
        return place === 0 ? head + this.#chunk({ index, delta: { function_call: toFunctionCall(part) } }) : head;
      }
      case "logprobs":
        return head + this.#chunk({ index, delta: {}, logprobs: { content: [...part.content], refusal: null } });
      case "finish":
        return head + this.#finish(index, choiceProgress, part.reason);
    }
  }

  /** Every choice starts with its role. */
  #open(index: number, choiceProgress: ChoiceProgress): string {
    this.#choices.set(index, choiceProgress);
    return this.#chunk({ index, delta: { role: "assistant", content: "" } });
  }

  #finish(index: number, choiceProgress: ChoiceProgress, reason: Parameters<typeof toFinishReason>[0]): string {
    if (choiceProgress.isFinished) return "";
    choiceProgress.isFinished = true;
    const finish_reason = toFinishReason(reason, choiceProgress.calls > 0, this.#callsAsFunctions);
    return this.#chunk({ index, delta: {}, finish_reason });
  }

  /** Ends every choice that the provider left open: clients wait for that. */
  #end(receipt: Receipt): string {
    let frames = this.#choices.has(0) ? "" : this.#open(0, { calls: 0, isFinished: false });
    for (const [index, choiceProgress] of this.#choices) frames += this.#finish(index, choiceProgress, "unknown");
    const answeringModels = answeringModelsField(receipt);
    if (this.#includeUsage)
      frames += formatEvent({ ...this.#head, ...answeringModels, choices: [], usage: toUsage(receipt) });
    // A client that did not ask for the usage expects a choice in every chunk.
    else if (answeringModels.trunkline !== undefined) frames += this.#chunk({ index: 0, delta: {} }, answeringModels);
    return frames + STREAM_DONE;
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
