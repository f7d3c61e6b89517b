import { EditTrail } from "./edit-trail.ts";
import { findHidden } from "./find-hidden.ts";
import { readingOf } from "./letter-model.ts";
import { type NormalText, normalise } from "./normalise.ts";
import type { Piece } from "./piece.ts";
import { findSmuggled } from "./smuggled.ts";

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
/** What may stand between two hidden pieces that are one text. */
const JOINT_MAX = 3;
const NOT_ASCII = /[^\0-\x7f]/;

/** All ways to read a text, the plain one first. */
export function layersOf(original: string): readonly [Layer, ...Layer[]] {
  const normal = normalise(original);
  const plain: Layer = {
    text: normal.text,
    undone: normal.undone,
    placeOf: (start, end) => ({ start: normal.originalOf(start), end: normal.originalOf(end) }),
  };
  const hidden = new HiddenLayers(plain.text, original.length);
  if (NOT_ASCII.test(original)) {
    for (const { text, start, end, undone } of findSmuggled(original))
      hidden.add(
        text,
        [undone],
        within(start, end, text.length, (from, to) => ({ start: from, end: to })),
        1,
      );
  }
  hidden.search(
    normal,
    [],
    (start, end) => ({ start: normal.originalOfLetter(start), end: normal.originalOfLetter(end) }),
    1,
  );
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

  /** Looks for what is hidden in a text and adds it: the whole with all of it in place, and longer passages each alone. */
  search({ letters }: NormalText, undone: readonly string[], place: Layer["placeOf"], depth: number): void {
    const pieces = findHidden(letters);
    if (pieces.length === 0) return;
    const passages = passagesOf(letters, pieces);
    const covered = passages.reduce((sum, { start, end }) => sum + end - start, 0);
    // Where nothing but hidden words is there, the whole is the passage.
    if (letters.length - covered > BESIDE_MAX) {
      for (const passage of passages) {
        if (!isOwnText(passage)) continue;
        const { text, start, end, names } = passage;
        this.add(text, [...undone, ...names], within(start, end, text.length, place), depth);
      }
    }
    this.#addWhole(letters, pieces, undone, place, depth);
  }

  /** Adds a layer, and what is hidden in it. */
  add(text: string, undone: readonly string[], place: Layer["placeOf"], depth: number): void {
    if (this.layers.length >= HIDDEN_LAYERS_MAX || text.length > this.#charactersLeft) return;
    const normal = normalise(text);
    if (this.#texts.has(normal.text)) return;
    this.#texts.add(normal.text);
    this.#charactersLeft -= text.length;
    const all = [...new Set([...undone, ...normal.undone])];
    this.layers.push({
      text: normal.text,
      undone: all,
      placeOf: (start, end) => place(normal.originalOf(start), normal.originalOf(end)),
    });
    if (depth < DEPTH_MAX)
      this.search(
        normal,
        all,
        (start, end) => place(normal.originalOfLetter(start), normal.originalOfLetter(end)),
        depth + 1,
      );
  }

  #addWhole(
    letters: string,
    pieces: readonly Piece[],
    undone: readonly string[],
    place: Layer["placeOf"],
    depth: number,
  ): void {
    const trail = new EditTrail();
    const parts: string[] = [];
    let length = 0;
    let copied = 0;
    for (const { start, end, text } of pieces) {
      parts.push(letters.slice(copied, start), text);
      length += start - copied + text.length;
      copied = end;
      trail.note(length, end);
    }
    parts.push(letters.slice(copied));
    const names = pieces.map((piece) => piece.undone);
    this.add(
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
