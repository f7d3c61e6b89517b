import { atOnce, STEP_CHARACTERS, type Steps } from "../resumable.ts";
import { EditTrail } from "./edit-trail.ts";
import { findHidden } from "./find-hidden.ts";
import { findSmuggled } from "./hidden-unicode.ts";
import { readingOf } from "./letter-model.ts";
import { type NormalText, normalise } from "./normalise.ts";
import type { Piece } from "./piece.ts";

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
  /**
   * Whether a fifth of it or more is an encoding, and a later layer says all that it does with that decoded. Then it tells nothing of
   * its own, and what is judged by it is how encodings look.
   */
  readonly isSuperseded: boolean;
  /** Where in the original a stretch of it stands. What is hidden in an encoding stands where the encoded words do. */
  readonly placeOf: (start: number, end: number) => Place;
}

export type Layers = readonly [Layer, ...Layer[]];

/** How many layers may lie above each other. */
const DEPTH_MAX = 2;
/** How many hidden layers a text may have, and how long all of them may be: some, and then so many times the text. */
const HIDDEN_LAYERS_MAX = 7;
const HIDDEN_CHARACTERS = 1024;
const HIDDEN_SHARE = 2;
/** From so many letters on, what was hidden is a text of its own rather than a word among others. */
const OWN_LETTERS_MIN = 16;
const OWN_FOREIGN_MIN = 6;
/** What may stand beside hidden words, such as quotes and a full stop, for them to be all there is. */
const BESIDE_MAX = 8;
const IN_PLACE: ReadonlySet<string> = new Set([
  "leetspeak",
  "split-words",
  "stretched-words",
  "run-on-words",
]);
/** The share of a layer from which on what was found in it stands for it. */
const SUPERSEDED_SHARE = 0.2;
/** What may stand between two hidden pieces that are one text. */
const JOINT_MAX = 3;
const NOT_ASCII = /[^\0-\x7f]/;

/** All ways to read a text, the plain one first. */
export function layersOf(original: string): Layers {
  return atOnce(readLayers(original));
}

/** The same, step by step. */
export function* readLayers(original: string): Steps<Layers> {
  const normal = normalise(original);
  const hidden = new HiddenLayers(normal.text, original.length);
  if (NOT_ASCII.test(original)) {
    if (original.length >= STEP_CHARACTERS) yield;
    const here = (start: number, end: number): Place => ({ start, end });
    for (const { text, start, end, undone } of findSmuggled(original))
      yield* hidden.add(text, [undone], within(start, end, text.length, here), 1);
  }
  const placeOfLetters = (start: number, end: number): Place => ({
    start: normal.originalOfLetter(start),
    end: normal.originalOfLetter(end),
  });
  const plain: Layer = {
    text: normal.text,
    undone: normal.undone,
    isSuperseded: yield* hidden.search(normal, [], placeOfLetters, 1),
    placeOf: (start, end) => ({ start: normal.originalOf(start), end: normal.originalOf(end) }),
  };
  return [plain, ...hidden.layers];
}

/** Collects hidden layers until one of the limits is met. */
class HiddenLayers {
  readonly layers: Layer[] = [];
  readonly #texts: Set<string>;
  #charactersLeft: number;

  constructor(plain: string, length: number) {
    this.#texts = new Set([plain]);
    this.#charactersLeft = HIDDEN_CHARACTERS + HIDDEN_SHARE * length;
  }

  /**
   * Looks for what is hidden in a text and adds it: the whole with all of it in place, and longer passages each alone.
   * Returns whether that stands for the text.
   */
  *search(
    { letters }: NormalText,
    undone: readonly string[],
    place: Layer["placeOf"],
    depth: number,
  ): Steps<boolean> {
    if (letters.length >= STEP_CHARACTERS) yield;
    const pieces = yield* findHidden(letters);
    if (pieces.length === 0) return false;
    const passages = passagesOf(letters, pieces);
    const covered = passages.reduce((sum, { start, end }) => sum + end - start, 0);
    // Where nothing but hidden words is there, the whole is the passage.
    if (letters.length - covered > BESIDE_MAX) {
      for (const passage of passages) {
        if (!isOwnText(passage)) continue;
        const { text, start, end, names } = passage;
        yield* this.add(text, [...undone, ...names], within(start, end, text.length, place), depth);
      }
    }
    const isWhole = yield* this.#addWhole(letters, pieces, undone, place, depth);
    return isWhole && covered >= letters.length * SUPERSEDED_SHARE;
  }

  /** Adds a layer, and what is hidden in it. Returns whether the text is among the layers. */
  *add(text: string, undone: readonly string[], place: Layer["placeOf"], depth: number): Steps<boolean> {
    if (this.layers.length >= HIDDEN_LAYERS_MAX || text.length > this.#charactersLeft) return false;
    const normal = normalise(text);
    if (this.#texts.has(normal.text)) return true;
    this.#texts.add(normal.text);
    this.#charactersLeft -= text.length;
    const all = [...new Set([...undone, ...normal.undone])];
    const placeOf = (start: number, end: number): Place =>
      place(normal.originalOf(start), normal.originalOf(end));
    const placeOfLetters = (start: number, end: number): Place =>
      place(normal.originalOfLetter(start), normal.originalOfLetter(end));
    const layer = { text: normal.text, undone: all, isSuperseded: false, placeOf };
    this.layers.push(layer);
    if (depth < DEPTH_MAX) layer.isSuperseded = yield* this.search(normal, all, placeOfLetters, depth + 1);
    return true;
  }

  *#addWhole(
    letters: string,
    pieces: readonly Piece[],
    undone: readonly string[],
    place: Layer["placeOf"],
    depth: number,
  ): Steps<boolean> {
    const trail = new EditTrail();
    const parts: string[] = [];
    let length = 0;
    let copied = 0;
    for (const { start, end, text } of pieces) {
      parts.push(letters.slice(copied, start), text);
      const from = length + start - copied;
      length = from + text.length;
      copied = end;
      trail.noteStretch(from, start, length, end);
    }
    parts.push(letters.slice(copied));
    const names = pieces.map((piece) => piece.undone);
    return yield* this.add(
      parts.join(""),
      [...new Set([...undone, ...names])],
      (start, end) => place(trail.sourceOf(start), trail.sourceOf(end)),
      depth,
    );
  }
}

interface Passage extends Place {
  readonly text: string;
  readonly names: readonly string[];
}

/** Pieces with next to nothing between them are one passage. */
function passagesOf(letters: string, pieces: readonly Piece[]): Passage[] {
  const passages: Passage[] = [];
  let open: { start: number; end: number; parts: string[]; names: Set<string> } | undefined;
  const close = () => {
    if (open !== undefined)
      passages.push({ start: open.start, end: open.end, text: open.parts.join(""), names: [...open.names] });
  };
  for (const { start, end, text, undone } of pieces) {
    if (open !== undefined && start - open.end <= JOINT_MAX) {
      open.parts.push(letters.slice(open.end, start), text);
      open.end = end;
      open.names.add(undone);
    } else {
      close();
      open = { start, end, parts: [text], names: new Set([undone]) };
    }
  }
  close();
  return passages;
}

/** Words that are only written otherwise belong to the sentence that they stand in. Letters of other scripts say more each. */
function isOwnText({ text, names }: Passage): boolean {
  if (names.every((name) => IN_PLACE.has(name))) return false;
  return (
    text.length >= OWN_FOREIGN_MIN && (NOT_ASCII.test(text) || readingOf(text).letters >= OWN_LETTERS_MIN)
  );
}

/** Where in an encoded stretch a part of what it says stands: as far along as it is in the words. */
function within(start: number, end: number, length: number, place: Layer["placeOf"]): Layer["placeOf"] {
  const stretch = (end - start) / Math.max(1, length);
  return (from, to) =>
    place(start + Math.floor(from * stretch), Math.min(end, start + Math.ceil(to * stretch)));
}
