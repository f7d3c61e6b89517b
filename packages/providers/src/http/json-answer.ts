import type { Part } from "@trunkline/core/answer.ts";
import type { CallLimits } from "@trunkline/core/model.ts";
import { type JsonObject, JsonStreamParser } from "./json-frames.ts";
import type { AnswerReader } from "./wire-format.ts";

/** Turns the objects of an answer into parts, be it one whole object or a stream of them. */
export interface AnswerObjectReader {
  readonly done: boolean;
  take(object: JsonObject): Iterable<Part>;
  end(): Iterable<Part>;
}

/** An answer made of JSON objects: one, one a line, server-sent events, or a list. */
export function jsonAnswerReader(
  objects: AnswerObjectReader,
  limits: CallLimits,
  streaming: boolean,
): AnswerReader {
  // A whole answer is no chunk: a picture inside it may take all that a response may take.
  return new JsonAnswerReader(
    objects,
    new JsonStreamParser(streaming ? limits.chunkBytes : limits.responseBytes),
  );
}

class JsonAnswerReader implements AnswerReader {
  readonly #objects: AnswerObjectReader;
  readonly #frames: JsonStreamParser;

  constructor(objects: AnswerObjectReader, frames: JsonStreamParser) {
    this.#objects = objects;
    this.#frames = frames;
  }

  get done(): boolean {
    return this.#objects.done;
  }

  *push(bytes: Buffer): Iterable<Part> {
    for (const frame of this.#frames.push(bytes)) {
      yield* this.#objects.take(frame);
      if (this.#objects.done) return;
    }
  }

  *end(): Iterable<Part> {
    this.#frames.end();
    yield* this.#objects.end();
  }
}
