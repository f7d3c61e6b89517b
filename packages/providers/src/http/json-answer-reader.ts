import type { JsonObject } from "@trunkline/core/json-object.ts";
import type { CallLimits } from "@trunkline/core/model.ts";
import type { Part, TextPart } from "@trunkline/core/parts.ts";
import { JsonStreamParser } from "./json-stream.ts";
import type { AnswerReader } from "./wire-format.ts";

/** Turns the objects of an answer, one or a stream of them, into parts. */
export interface AnswerObjectReader {
  readonly done: boolean;
  /**
   * Whether all that came of the last object is a part with a text of it as it is: another object with another text there
   * gives such a part too, and nothing else.
   */
  readonly gaveTextAlone?: boolean;
  /** Adds the parts that are complete after this object. */
  take(object: JsonObject, parts: Part[]): void;
  end(): readonly Part[];
}

/** Reads an answer made of JSON objects: one object, one per line, server-sent events, or a list. */
export function jsonAnswerReader(objects: AnswerObjectReader, limits: CallLimits, streaming: boolean): AnswerReader {
  // A whole answer is not limited as a chunk: an image in it may be as large as a response may be.
  return new JsonAnswerReader(objects, new JsonStreamParser(streaming ? limits.chunkBytes : limits.responseBytes));
}

class JsonAnswerReader implements AnswerReader {
  readonly #objects: AnswerObjectReader;
  readonly #frames: JsonStreamParser;
  /** The last text in which an object differed from those before it, where its part has that text alone. */
  #lastText: string | undefined;
  /** The part of the last object, where its text is known to be the one in which the objects differ. */
  #repeatedPart: TextPart | undefined;

  constructor(objects: AnswerObjectReader, frames: JsonStreamParser) {
    this.#objects = objects;
    this.#frames = frames;
  }

  get done(): boolean {
    return this.#objects.done;
  }

  push(bytes: Buffer, parts: Part[]): void {
    const objects = this.#objects;
    const frames = this.#frames;
    frames.push(bytes);
    for (;;) {
      const repeated = this.#repeatedPart;
      const text = repeated === undefined ? undefined : frames.nextText();
      if (repeated !== undefined && text !== undefined) {
        parts.push(withText(repeated, text));
        continue;
      }
      const object = frames.next();
      if (object === undefined) return;
      const before = parts.length;
      objects.take(object, parts);
      if (objects.done) return;
      this.#compare(parts.length === before + 1 ? parts[before] : undefined);
    }
  }

  /** If the parts of two objects in a row have the text in which these differ, so have those of all that differ in it alone. */
  #compare(part: Part | undefined): void {
    const text = this.#frames.repeatedText;
    const hasText = part?.type === "text" && part.text === text && this.#objects.gaveTextAlone === true;
    this.#repeatedPart = hasText && this.#lastText !== undefined && this.#lastText !== text ? part : undefined;
    this.#lastText = hasText ? text : undefined;
  }

  end(): readonly Part[] {
    this.#frames.end();
    return this.#objects.end();
  }
}

function withText({ choice }: TextPart, text: string): TextPart {
  return choice === undefined ? { type: "text", text } : { type: "text", text, choice };
}
