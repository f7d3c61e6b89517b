import type { FinishPart, Part, UsagePart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";
import type { AnswerReader } from "../../http/wire-format.ts";
import { endedEarly } from "../anthropic/errors.ts";
import { hasCompleteArguments, invalidToolArguments } from "../anthropic/open-block.ts";
import { failureInStream } from "./errors.ts";
import { EventStreamDecoder, type StreamEvent } from "./event-stream.ts";
import { ContentBlockReader, partsOfBlock } from "./open-block.ts";
import { toFinish, toUsage } from "./usage.ts";

/** Reads one whole answer of the Converse API. */
export class ConverseResponseReader implements AnswerObjectReader {
  #done = false;

  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject): readonly Part[] {
    const message = isObject(answer.output) ? answer.output.message : undefined;
    if (!isObject(message) || !Array.isArray(message.content))
      throw new ProviderFailure("broken", "the answer has no message");
    this.#done = true;
    const counted = isObject(answer.usage) ? [toUsage(answer.usage)] : [];
    // The count goes first: where moderation stops at the words, what the provider did is known all the same.
    return [...counted, ...message.content.filter(isObject).flatMap(partsOfBlock), toFinish(answer)];
  }

  end(): readonly Part[] {
    if (!this.#done) throw endedEarly();
    return [];
  }
}

/** Reads the events of an answer of the Converse API, from bytes cut anywhere. */
export class ConverseStreamReader implements AnswerReader {
  readonly #frames: EventStreamDecoder;
  readonly #credential: Model["credential"];
  readonly #open = new Map<unknown, ContentBlockReader>();
  /** Whether a call came whose arguments were cut off. */
  #hasTruncatedCall = false;
  #finish: FinishPart | undefined;
  #usage: UsagePart | undefined;
  #done = false;

  constructor({ limits, credential }: Pick<Model, "limits" | "credential">) {
    this.#frames = new EventStreamDecoder(limits.chunkBytes);
    this.#credential = credential;
  }

  get done(): boolean {
    return this.#done;
  }

  *push(bytes: Buffer): Iterable<Part> {
    for (const event of this.#frames.push(bytes)) {
      yield* this.#take(event);
      if (this.#done) return;
    }
  }

  /** The count comes after the end of the words; where it is missing, the answer is whole all the same. */
  *end(): Iterable<Part> {
    this.#frames.end();
    if (this.#done) return;
    yield* this.#close();
  }

  *#take({ type, name, body }: StreamEvent): Iterable<Part> {
    if (type === "exception") throw failureInStream(name, body, this.#credential);
    if (!isObject(body)) throw new ProviderFailure("broken", "sent an event that is no object");
    const block = this.#blockOf(body);
    if (name === "contentBlockStart" && isObject(body.start)) block.start(body.start);
    if (name === "contentBlockDelta" && isObject(body.delta)) yield* block.readDelta(body.delta);
    if (name === "contentBlockStop") yield* this.#endBlock(body, block);
    else if (name.startsWith("contentBlock")) this.#open.set(body.contentBlockIndex, block);
    if (name === "messageStop") this.#finish = toFinish(body);
    if (name === "metadata") {
      if (isObject(body.usage)) this.#usage = toUsage(body.usage);
      yield* this.#close();
    }
  }

  #blockOf({ contentBlockIndex }: JsonObject): ContentBlockReader {
    return this.#open.get(contentBlockIndex) ?? new ContentBlockReader();
  }

  *#endBlock({ contentBlockIndex }: JsonObject, block: ContentBlockReader): Iterable<Part> {
    this.#open.delete(contentBlockIndex);
    for (const part of block.close()) {
      // A call whose arguments end in the middle is not given out; whether that is a fault is known at the end.
      if (hasCompleteArguments(part)) yield part;
      else this.#hasTruncatedCall = true;
    }
  }

  *#close(): Iterable<Part> {
    if (this.#finish === undefined || this.#open.size > 0) throw endedEarly();
    if (this.#hasTruncatedCall && this.#finish.reason !== "length") throw invalidToolArguments();
    this.#done = true;
    if (this.#usage !== undefined) yield this.#usage;
    yield this.#finish;
  }
}
