import type { Channel } from "@trunkline/core/verdict.ts";
import { type Layer, readLayers } from "../decode/layers.ts";
import { atOnce, STEP_CHARACTERS, type Steps } from "../resumable.ts";
import type { Match } from "../rules/rule-book.ts";
import { BOOKS } from "../rules/rule-sets.ts";

/** What a mention of an attack is worth beside a use of it. */
const MENTION = 0.4;

/** One way to read a text, ready to be weighed. */
export interface Reading {
  /** What is scanned: the text as it was given where nothing was hidden in it, as capitals say something too. */
  readonly text: string;
  readonly layer: Layer;
  readonly isOriginal: boolean;
  /** What the rules found, and where in the scanned text it begins. */
  readonly matches: readonly Match[];
  readonly starts: readonly number[];
}

export function readingsOf(original: string, channel: Channel): Reading[] {
  return atOnce(readInAllWays(original, channel));
}

/** The same, step by step. */
export function* readInAllWays(original: string, channel: Channel): Steps<Reading[]> {
  const layers = yield* readLayers(original);
  const [plain] = layers;
  const readings: Reading[] = [];
  for (const layer of layers) {
    if (layer.text.length >= STEP_CHARACTERS) yield;
    const isOriginal = layer === plain && layer.undone.length === 0;
    const matches = BOOKS[channel].find(layer.text);
    const starts = matches.map(({ start, end }) => (isOriginal ? layer.placeOf(start, end).start : start));
    readings.push({ text: isOriginal ? original : layer.text, layer, isOriginal, matches, starts });
  }
  return readings;
}

/** What is mostly the encoding of a later layer is not weighed: how it looks is no sign of anything. Rules read it all the same. */
export function isWeighed({ layer }: Reading): boolean {
  return !layer.isSuperseded;
}

export function weightOf(match: Match): number {
  return match.mention ? MENTION : 1;
}
