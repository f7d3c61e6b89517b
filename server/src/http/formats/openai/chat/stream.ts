import type { Part } from "@trunkline/core/answer.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { StreamWriter } from "../../../endpoints/endpoint.ts";
import { readObject } from "../../../requests/fields.ts";
import { tellModels } from "../../../responses/models-that-spoke.ts";
import { openAiErrorOf } from "../dialect.ts";
import { identifyAnswer } from "../identify-answer.ts";
import { readIncludeUsage } from "../read-sampling.ts";
import { showUsage } from "../show-usage.ts";
import { DONE, EVENT_STREAM, frameEvent } from "../stream-events.ts";
import type { chunkShown } from "./chat-shown.ts";
import { asksForFunctions, finishReasonOf, showCall, showFunction } from "./show-chat.ts";

type Chunk = z.infer<typeof chunkShown>;
type ChunkChoice = Chunk["choices"][number];

/** How far one choice has come. */
interface Progress {
  calls: number;
  isFinished: boolean;
}

/** An answer of `chat/completions` as it comes, as `chat.completion.chunk` events. */
export function streamChat(_request: FastifyRequest, journal: Journal, asked: unknown): StreamWriter {
  const writer = new ChunkWriter(journal, asked);
  return {
    contentType: EVENT_STREAM,
    write: (part) => [...writer.write(part)].join(""),
    fail: (fault) => frameEvent(openAiErrorOf(fault)),
  };
}

class ChunkWriter {
  readonly #head: Pick<Chunk, "id" | "object" | "created" | "model" | "system_fingerprint">;
  readonly #includeUsage: boolean;
  readonly #callsAsFunctions: boolean;
  readonly #choices = new Map<number, Progress>();

  constructor(journal: Journal, asked: unknown) {
    const { id, created, model } = identifyAnswer("chatcmpl", journal);
    this.#head = { id, object: "chat.completion.chunk", created, model, system_fingerprint: null };
    this.#includeUsage = readIncludeUsage(readObject(asked, ""));
    this.#callsAsFunctions = asksForFunctions(asked);
  }

  *write(part: Part | Receipt): Generator<string> {
    if (part.type === "receipt") {
      yield* this.#end(part);
      return;
    }
    if (part.type === "usage" || part.type === "media" || part.type === "embedding") return;
    const index = part.choice ?? 0;
    const progress = yield* this.#open(index);
    switch (part.type) {
      case "text":
        yield this.#chunk({ index, delta: { content: part.text } });
        return;
      case "thinking":
        if (part.text !== "") yield this.#chunk({ index, delta: { reasoning_content: part.text } });
        return;
      case "tool-call": {
        const place = progress.calls;
        progress.calls += 1;
        if (!this.#callsAsFunctions)
          yield this.#chunk({ index, delta: { tool_calls: [{ index: place, ...showCall(part) }] } });
        else if (place === 0) yield this.#chunk({ index, delta: { function_call: showFunction(part) } });
        return;
      }
      case "logprobs":
        yield this.#chunk({ index, delta: {}, logprobs: { content: [...part.content], refusal: null } });
        return;
      case "finish":
        yield* this.#finish(index, progress, part.reason);
    }
  }

  /** Every choice begins with who speaks. */
  *#open(index: number): Generator<string, Progress> {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const progress = { calls: 0, isFinished: false };
    this.#choices.set(index, progress);
    yield this.#chunk({ index, delta: { role: "assistant", content: "" } });
    return progress;
  }

  *#finish(
    index: number,
    progress: Progress,
    reason: Parameters<typeof finishReasonOf>[0],
  ): Generator<string> {
    if (progress.isFinished) return;
    progress.isFinished = true;
    const finish_reason = finishReasonOf(reason, progress.calls > 0, this.#callsAsFunctions);
    yield this.#chunk({ index, delta: {}, finish_reason });
  }

  /** Whatever the provider left open is ended here: clients wait for the end of every choice. */
  *#end(receipt: Receipt): Generator<string> {
    yield* this.#open(0);
    for (const [index, progress] of this.#choices) yield* this.#finish(index, progress, "unknown");
    const told = tellModels(receipt);
    if (this.#includeUsage)
      yield frameEvent({ ...this.#head, ...told, choices: [], usage: showUsage(receipt) });
    // Whoever did not ask for the usage expects a choice in every chunk.
    else if (told.trunkline !== undefined) yield this.#chunk({ index: 0, delta: {} }, told);
    yield DONE;
  }

  #chunk(
    choice: Pick<ChunkChoice, "index" | "delta"> & Partial<ChunkChoice>,
    told: ReturnType<typeof tellModels> = {},
  ): string {
    const chunk: Chunk & typeof told = {
      ...this.#head,
      ...told,
      choices: [{ logprobs: null, finish_reason: null, ...choice }],
      ...(this.#includeUsage ? { usage: null } : {}),
    };
    return frameEvent(chunk);
  }
}
