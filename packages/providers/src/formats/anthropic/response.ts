import type { FinishPart, Part, UsagePart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";
import { endedEarly, failureIn } from "./errors.ts";
import {
  ContentBlockReader,
  hasCompleteArguments,
  invalidToolArguments,
  partsOfBlock,
} from "./open-block.ts";
import { toFinish, toUsage } from "./usage.ts";

/** Reads an answer of the Messages API, be it one message or the events of one. */
export class AnthropicResponseReader implements AnswerObjectReader {
  readonly #credential: Secret | undefined;
  readonly #open = new Map<unknown, ContentBlockReader>();
  /** Whether a call came whose arguments were cut off. */
  #hasTruncatedCall = false;
  #usage: JsonObject = {};
  #ending: JsonObject | undefined;
  #done = false;

  constructor(credential: Secret | undefined) {
    this.#credential = credential;
  }

  get done(): boolean {
    return this.#done;
  }

  /** The parts that can be passed on after this object. Kinds of events that we don't know are skipped, as the API asks. */
  *take(event: JsonObject): Iterable<Part> {
    if (this.#done) return;
    switch (event.type) {
      case "message":
        yield* this.#takeWhole(event);
        break;
      case "message_start":
        if (isObject(event.message)) this.#mergeUsage(event.message.usage);
        break;
      case "content_block_start":
        yield* this.#startBlock(event);
        break;
      case "content_block_delta":
        if (isObject(event.delta)) yield* this.#blockOf(event).readDelta(event.delta);
        break;
      case "content_block_stop":
        yield* this.#endBlock(event);
        break;
      case "message_delta":
        this.#mergeUsage(event.usage);
        if (isObject(event.delta) && typeof event.delta.stop_reason === "string") this.#ending = event.delta;
        break;
      case "message_stop":
        yield* this.#lastParts();
        break;
      case "error":
        throw failureIn(event, this.#credential);
    }
  }

  end(): readonly Part[] {
    if (!this.#done) throw endedEarly();
    return [];
  }

  *#takeWhole(message: JsonObject): Iterable<Part> {
    if (!Array.isArray(message.content)) throw new ProviderFailure("broken", "the answer has no content");
    this.#mergeUsage(message.usage);
    this.#ending = message;
    const parts = message.content.filter(isObject).flatMap(partsOfBlock);
    const { counted, finish } = this.#close();
    // The count goes first: where moderation stops at the words, what the provider did is known all the same.
    yield* [...counted, ...parts, finish];
  }

  *#startBlock(event: JsonObject): Iterable<Part> {
    if (!isObject(event.content_block)) throw new ProviderFailure("broken", "sent a block that is no object");
    const block = new ContentBlockReader(event.content_block);
    this.#open.set(event.index, block);
    yield* block.open();
  }

  *#endBlock(event: JsonObject): Iterable<Part> {
    const block = this.#blockOf(event);
    this.#open.delete(event.index);
    for (const part of block.close()) {
      // A call whose arguments end in the middle is not given out; whether that is a fault is known at the end.
      if (hasCompleteArguments(part)) yield part;
      else this.#hasTruncatedCall = true;
    }
  }

  #blockOf({ index }: JsonObject): ContentBlockReader {
    const block = this.#open.get(index);
    if (block === undefined) throw new ProviderFailure("broken", "sent a piece of a block that is not open");
    return block;
  }

  /** Later counts are of the whole answer, and leave out what did not change. */
  #mergeUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const said = Object.entries(usage).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
  }

  *#lastParts(): Iterable<Part> {
    const { counted, finish } = this.#close();
    yield* counted;
    yield finish;
  }

  #close(): { counted: readonly UsagePart[]; finish: FinishPart } {
    if (this.#ending === undefined || this.#open.size > 0) throw endedEarly();
    const finish = toFinish(this.#ending);
    if (this.#hasTruncatedCall && finish.reason !== "length") throw invalidToolArguments();
    this.#done = true;
    const isCounted = Object.keys(this.#usage).length > 0;
    return { counted: isCounted ? [toUsage(this.#usage)] : [], finish };
  }
}
