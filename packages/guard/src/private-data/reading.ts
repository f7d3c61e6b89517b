import type { Steps } from "../resumable.ts";
import { findInJson } from "./find-in-json.ts";
import { type Find, findLong } from "./find-long.ts";
import { jsonLeavesOf, withLeaves } from "./json-leaves.ts";
import type { Writing } from "./map-request-texts.ts";
import type { PrivateDatum } from "./private-value.ts";

/** Words that are read as they are, and the values in them. */
export interface Passage {
  readonly text: string;
  readonly found: readonly PrivateDatum[];
}

/** A text as it is read, with the way back to how it is written. */
export interface Reading {
  readonly passages: readonly Passage[];
  /** The text with every passage changed, step by step. */
  write(change: (passage: Passage) => Steps<string>): Steps<string>;
}

/** Reads a text as it is written. What should be JSON and is none is read as plain words. */
export function* readText(find: Find, text: string, writing: Writing): Steps<Reading> {
  const leaves = writing === "json" ? yield* jsonLeavesOf(text) : undefined;
  if (leaves === undefined) {
    const passage = { text, found: yield* findLong(find, text) };
    return { passages: [passage], write: (change) => change(passage) };
  }
  const passages = yield* findInJson(find, text, leaves);
  return { passages, write: (change) => withLeaves(text, passages, change) };
}
