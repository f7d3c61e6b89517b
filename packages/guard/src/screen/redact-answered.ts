import { findWithEscapesResumable } from "../private-data/find-escaped.ts";
import type { FindValues } from "../private-data/find-long.ts";
import { parseEditableText } from "../private-data/reading.ts";
import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../resumable.ts";
import { redactText } from "./redact-out.ts";

interface ToolRedactionOptions {
  /** The values in a text that are to be taken out, in order. */
  readonly findValues: FindValues;
  /** Whether one stays all the same. */
  readonly isExempt: (value: string) => boolean;
}

interface RedactedArguments {
  readonly text: string;
  /** What was taken out. */
  readonly kinds: readonly string[];
}

/**
 * What a tool is called with, without the values in it. It stays JSON if it is; what is none is read as plain words. Escapes
 * are undone there as well, and in JSON that stands in a string.
 */
export function* redactToolArguments(
  json: string,
  { findValues: valuesIn, isExempt: stays }: ToolRedactionOptions,
): Resumable<RedactedArguments> {
  const kinds: string[] = [];
  const editableText = yield* parseEditableText(
    (words) => findWithEscapesResumable(valuesIn, words),
    json,
    "json",
  );
  const text = yield* editableText.rewrite(function* (searchedPassage) {
    if (searchedPassage.text.length >= RESUMABLE_MIN_CHARACTERS) yield;
    const leaving = searchedPassage.found.filter(
      ({ start, end }) => !stays(searchedPassage.text.slice(start, end)),
    );
    for (const { kind } of leaving) kinds.push(kind);
    return redactText(searchedPassage.text, leaving);
  });
  return { text, kinds };
}
