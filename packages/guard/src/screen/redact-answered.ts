import { searchWithEscapes } from "../private-data/find-escaped.ts";
import type { Find } from "../private-data/find-long.ts";
import { readText } from "../private-data/reading.ts";
import { STEP_CHARACTERS, type Steps } from "../resumable.ts";
import { redactOut } from "./redact-out.ts";

interface Terms {
  /** The values in a text that are to be taken out, in order. */
  readonly valuesIn: Find;
  /** Whether one stays all the same. */
  readonly stays: (value: string) => boolean;
}

interface Redacted {
  readonly text: string;
  /** What was taken out. */
  readonly kinds: readonly string[];
}

/**
 * What a tool is called with, without the values in it. It stays JSON if it is; what is none is read as plain words. Escapes
 * are undone there as well, and in JSON that stands in a string.
 */
export function* redactAnswered(json: string, { valuesIn, stays }: Terms): Steps<Redacted> {
  const kinds: string[] = [];
  const reading = yield* readText((words) => searchWithEscapes(valuesIn, words), json, "json");
  const text = yield* reading.write(function* (passage) {
    if (passage.text.length >= STEP_CHARACTERS) yield;
    const leaving = passage.found.filter(({ start, end }) => !stays(passage.text.slice(start, end)));
    for (const { kind } of leaving) kinds.push(kind);
    return redactOut(passage.text, leaving);
  });
  return { text, kinds };
}
