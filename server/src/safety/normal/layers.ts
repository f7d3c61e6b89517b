import { findEncodedText } from "./encoded-text.ts";
import { readLeetspeak } from "./leetspeak.ts";
import { normalise } from "./normalise.ts";

/** A stretch of a text, end exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** One way to read a text: as it stands, or what is hidden in it. */
export interface Layer {
  /** Normalised: what a reader sees, in lower case. */
  readonly text: string;
  /** What was undone to read it so. */
  readonly undone: readonly string[];
  /** Where in the original a stretch of it stands. What is hidden in an encoding stands where the encoded words do. */
  placeOf(start: number, end: number): Place;
}

/** All ways to read a text, the plain one first. */
export function layersOf(original: string): readonly [Layer, ...Layer[]] {
  const plain = plainLayer(original);
  return [plain, ...masked(plain), ...encoded(original)];
}

function plainLayer(original: string): Layer {
  const { text, undone, originalOf } = normalise(original);
  return { text, undone, placeOf: (start, end) => ({ start: originalOf(start), end: originalOf(end) }) };
}

function masked(plain: Layer): Layer[] {
  const text = readLeetspeak(plain.text);
  return text === undefined ? [] : [{ ...plain, text, undone: ["leetspeak"] }];
}

function encoded(original: string): Layer[] {
  return findEncodedText(original).map(({ text, start, end }) => ({
    text: normalise(text).text,
    undone: ["base64"],
    placeOf: () => ({ start, end }),
  }));
}
