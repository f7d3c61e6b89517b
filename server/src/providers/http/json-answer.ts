import type { Part } from "../../domain/answer.ts";
import type { CallLimits } from "../../domain/model.ts";
import { JsonFrames, type JsonObject } from "./json-frames.ts";
import type { AnswerBytes } from "./wire-format.ts";

/** Turns the objects of an answer into parts, be it one whole object or a stream of them. */
export interface AnswerObjects {
  readonly done: boolean;
  take(object: JsonObject): Iterable<Part>;
  end(): Iterable<Part>;
}

/** An answer made of JSON objects: one, one a line, server-sent events, or a list. */
export function jsonAnswer(objects: AnswerObjects, limits: CallLimits, streaming: boolean): AnswerBytes {
  // A whole answer is no chunk: a picture inside it may take all that a response may take.
  const frames = new JsonFrames(streaming ? limits.chunkBytes : limits.responseBytes);
  return {
    get done() {
      return objects.done;
    },
    *push(bytes) {
      for (const frame of frames.push(bytes)) {
        yield* objects.take(frame);
        if (objects.done) return;
      }
    },
    *end() {
      frames.end();
      yield* objects.end();
    },
  };
}
