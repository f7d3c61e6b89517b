import type { Resumable } from "../resumable.ts";
import { findInJsonLeaves } from "./find-in-json.ts";
import { type FindValues, findInLongText } from "./find-long.ts";
import { parseJsonLeaves, replaceJsonLeaves } from "./json-leaves.ts";
import type { TextFormat } from "./map-request-texts.ts";
import type { PrivateValue } from "./private-value.ts";

/** Words that are read as they are, and the values in them. */
export interface SearchedPassage {
  readonly text: string;
  readonly found: readonly PrivateValue[];
}

/** A text as it is read, with the way back to how it is written. */
export interface EditableText {
  readonly passages: readonly SearchedPassage[];
  /** The text with every passage changed, step by step. */
  rewrite(change: (searchedPassage: SearchedPassage) => Resumable<string>): Resumable<string>;
}

/** Reads a text as it is written. What should be JSON and is none is read as plain words. */
export function* parseEditableText(
  findValues: FindValues,
  text: string,
  textFormat: TextFormat,
): Resumable<EditableText> {
  const leaves = textFormat === "json" ? yield* parseJsonLeaves(text) : undefined;
  if (leaves === undefined) {
    const passage = { text, found: yield* findInLongText(findValues, text) };
    return { passages: [passage], rewrite: (change) => change(passage) };
  }
  const passages = yield* findInJsonLeaves(findValues, text, leaves);
  return { passages, rewrite: (change) => replaceJsonLeaves(text, passages, change) };
}
