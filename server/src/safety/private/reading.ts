import { findInJson } from "./find-in-json.ts";
import { findLong } from "./find-long.ts";
import { jsonLeavesOf, withLeaves } from "./json-leaves.ts";
import type { Writing } from "./map-texts.ts";
import type { PrivateDatum } from "./private-datum.ts";
import type { Turns } from "./turns.ts";

/** Words that are read as they are, and the values in them. */
export interface Passage {
  readonly text: string;
  readonly found: readonly PrivateDatum[];
}

/** A text as it is read, with the way back to how it is written. */
export interface Reading {
  readonly passages: readonly Passage[];
  /** The text with every passage changed. */
  write(change: (passage: Passage) => string): string;
}

/** Reads a text as it is written. What should be JSON and is none is read as plain words. */
export function* readText(
  find: (text: string) => readonly PrivateDatum[],
  text: string,
  writing: Writing,
): Turns<Reading> {
  const leaves = writing === "json" ? jsonLeavesOf(text) : undefined;
  if (leaves === undefined) {
    const passage = { text, found: yield* findLong(find, text) };
    return { passages: [passage], write: (change) => change(passage) };
  }
  const foundIn = yield* findInJson(find, text, leaves);
  const passages = leaves.map((leaf) => ({ ...leaf, found: foundIn.get(leaf) ?? [] }));
  return { passages, write: (change) => withLeaves(text, passages, change) };
}
