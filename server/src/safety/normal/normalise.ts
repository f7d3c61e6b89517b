import { latinise } from "./confusables.ts";
import { EditTrail } from "./edit-trail.ts";

/** A text as it reads, whatever it was written with. */
export interface NormalText {
  readonly text: string;
  /** What was undone of the things that hide words from a reader or a pattern. */
  readonly undone: readonly string[];
  /** The offset in the original of an offset in `text`. */
  originalOf(offset: number): number;
}

/** What one code point becomes, and the name of the disguise if it was one. */
interface Fold {
  readonly text: string;
  readonly disguise: string | undefined;
}

const NOT_ASCII = /[\u0080-\uffff]+/g;
/** Common letters that no rule below changes: most text in other scripts is let through by this one test. */
const STEADY =
  /^[\u0391-\u03a1\u03a3-\u03c9\u0400-\u052f\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u0904-\u0939\u093d-\u0950\u0e01-\u0e32\u0e34-\u0e4e\u3001\u3002\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+$/;
const INVISIBLE = /^[\u00ad\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u3164\ufeff\uffa0]$/;
const BIDI = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/;
const SELECTOR = /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;
const COMBINING = /^(?:[\u0300-\u036f]|[\u20d0-\u20f0])$/;
const ACCENTS = /[\u0300-\u036f]/g;
const ASCII_ONLY = /^[ -~]*$/;
const PLAIN: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  "\u0085": "\n",
  "\u2028": "\n",
  "\u2029": "\n",
  İ: "i",
};

/** Letters that only look like Latin ones and that no Unicode form calls compatible: small capitals and the like. */
const SMALL_CAPITALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "ᴀ",
    b: "ʙ",
    c: "ᴄ",
    d: "ᴅ",
    e: "ᴇ",
    f: "ꜰ",
    g: "ɢɡ",
    h: "ʜ",
    i: "ɪı",
    j: "ᴊ",
    k: "ᴋ",
    l: "ʟ",
    m: "ᴍ",
    n: "ɴ",
    o: "ᴏ",
    p: "ᴘ",
    r: "ʀ",
    s: "ꜱ",
    t: "ᴛ",
    u: "ᴜ",
    v: "ᴠ",
    w: "ᴡ",
    y: "ʏ",
    z: "ᴢ",
  }).flatMap(([latin, others]) => [...others].map((other): [string, string] => [other, latin])),
);

/** Enough for the letters of any few languages; bounded, so that nobody can fill the memory with rare ones. */
const REMEMBERED_FOLDS = 4096;
const folds = new Map<string, Fold>();

/** Rewrites a text the way a reader sees it: compatible forms, no hidden characters, one script a word, lower case, single spaces. */
export function normalise(original: string): NormalText {
  const undone = new Set<string>();
  const letters = foldLetters(original, undone);
  const lower = letters.text.toLowerCase();
  const latin = letters.trail === undefined ? lower : latinise(lower);
  if (latin !== lower) undone.add("mixed-scripts");
  const spaced = collapseSpace(latin);
  return {
    text: spaced.text,
    undone: [...undone],
    originalOf: (offset) => {
      const inLetters = spaced.trail?.sourceOf(offset) ?? offset;
      return letters.trail?.sourceOf(inLetters) ?? inLetters;
    },
  };
}

interface Rewritten {
  readonly text: string;
  /** undefined: every offset is as it was. */
  readonly trail: EditTrail | undefined;
}

function foldLetters(original: string, undone: Set<string>): Rewritten {
  let trail: EditTrail | undefined;
  let shift = 0;
  const text = original.replace(NOT_ASCII, (run: string, at: number) => {
    trail ??= new EditTrail();
    if (STEADY.test(run)) return run;
    let folded = "";
    let read = 0;
    for (const point of run) {
      const fold = foldOf(point);
      if (fold.disguise !== undefined) undone.add(fold.disguise);
      folded += fold.text;
      read += point.length;
      if (fold.text.length !== point.length) trail.note(at + shift + folded.length, at + read);
    }
    shift += folded.length - run.length;
    return folded;
  });
  return { text, trail };
}

function foldOf(point: string): Fold {
  const known = folds.get(point);
  if (known !== undefined) return known;
  const fold = computeFold(point);
  if (folds.size < REMEMBERED_FOLDS) folds.set(point, fold);
  return fold;
}

function computeFold(point: string): Fold {
  const plain = PLAIN[point];
  if (plain !== undefined) return { text: plain, disguise: undefined };
  const small = SMALL_CAPITALS.get(point);
  if (small !== undefined) return { text: small, disguise: "look-alikes" };
  if (INVISIBLE.test(point)) return { text: "", disguise: "zero-width" };
  if (BIDI.test(point)) return { text: "", disguise: "bidi-controls" };
  if (COMBINING.test(point)) return { text: "", disguise: "combining-marks" };
  if (SELECTOR.test(point)) return { text: "", disguise: undefined };
  const code = point.codePointAt(0) ?? 0;
  // Tag characters spell ASCII that no screen shows but every model reads, so they are read here too.
  if (code >= 0xe0020 && code <= 0xe007e) {
    return { text: String.fromCharCode(code - 0xe0000), disguise: "tag-characters" };
  }
  if (code >= 0xe0000 && code <= 0xe007f) return { text: "", disguise: "tag-characters" };
  if (/^\s$/.test(point)) return { text: " ", disguise: undefined };

  const compatible = point.normalize("NFKC");
  // Accents go too: one spelling of a pattern then reads "précédentes" and "precedentes".
  const bare = point.normalize("NFKD").replace(ACCENTS, "");
  if (!ASCII_ONLY.test(bare)) return { text: compatible, disguise: undefined };
  const disguised = compatible !== point && /[A-Za-z0-9]/.test(bare);
  return { text: bare, disguise: disguised ? "compatibility-forms" : undefined };
}

/** Runs of white space become one space, or one line break where they held one: some rules look at line starts. */
function collapseSpace(source: string): Rewritten {
  let trail: EditTrail | undefined;
  let shift = 0;
  const text = source.replace(/\s{2,}|[\t\v\f\r]/g, (run: string, at: number) => {
    if (run.length > 1) {
      shift += 1 - run.length;
      trail ??= new EditTrail();
      trail.note(at + run.length + shift, at + run.length);
    }
    return run.includes("\n") ? "\n" : " ";
  });
  return { text, trail };
}
