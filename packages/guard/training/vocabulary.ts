import { readFile } from "node:fs/promises";
import { isObject } from "@trunkline/providers/http/json-object.ts";
import { setBit } from "../src/classifier/bit-table.ts";
import { LEXICON_CATEGORIES } from "../src/classifier/block-counts.ts";
import { FEATURE_BUCKETS, type Vocabulary } from "../src/classifier/feature-scanner.ts";
import { CUE_CATEGORIES_START } from "../src/classifier/figures.ts";
import { hashWord, hashWordPair, wordBucket } from "../src/classifier/word-hash.ts";
import { CUE_WORDS } from "./cue-words.ts";
import type { Row } from "./rows.ts";

/** A word is familiar once so many texts of at least two sources have it. */
const FAMILIAR_TEXTS_MIN = 3;
const LEXICON_SIZE = 8192;

/** The classes of the graded list, in their order; each is told apart by how strong the word is. */
const PROFANITY_CATEGORIES = [
  "sexual anatomy / sexual acts",
  "bodily fluids / excrement",
  "racial / ethnic slurs",
  "sexual orientation / gender",
  "religious offense",
  "mental disability",
  "other / general insult",
];
/** Those of our own words. */
const OWN_CATEGORIES = ["sexual", "violence", "self_harm", "hate", "harassment"];

export async function buildVocabulary(
  rows: readonly Row[],
  resources: string,
  seeds: string,
): Promise<Vocabulary> {
  const terms = new Map<number, number>();
  for (const [term, kind] of await readProfanity(`${resources}/profanity_en.csv`)) addTerm(terms, term, kind);
  for (const [term, kind] of await readWords(`${seeds}/harm/words.jsonl`)) addTerm(terms, term, kind);
  Object.values(CUE_WORDS).forEach((words, kind) => {
    for (const word of words.split(" ")) addTerm(terms, word, CUE_CATEGORIES_START + kind);
  });
  const lexicon = new Uint32Array(LEXICON_SIZE);
  const classes = new Uint8Array(LEXICON_SIZE);
  for (const [hash, kind] of terms) {
    let at = hash & (LEXICON_SIZE - 1);
    while (lexicon[at] !== 0) at = (at + 1) & (LEXICON_SIZE - 1);
    lexicon[at] = hash;
    classes[at] = kind;
  }
  return { familiar: familiarWords(rows), lexicon, lexiconCategories: classes };
}

/** Terms of one or two words; longer ones are what rules are for. */
function addTerm(terms: Map<number, number>, term: string, kind: number): void {
  const words = term.toLowerCase().match(/[\p{L}\p{M}\p{N}_']+/gu) ?? [];
  const [first, second] = words;
  if (first === undefined || words.length > 2) return;
  const hash = second === undefined ? hashWord(first) : hashWordPair(hashWord(first), hashWord(second));
  if (!terms.has(hash)) terms.set(hash, kind);
}

async function readProfanity(file: string): Promise<[string, number][]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(1);
  return lines.flatMap((line): [string, number][] => {
    const [term, , , , category, , , severity] = line.split(",");
    if (term === undefined || term === "" || category === undefined) return [];
    const known = PROFANITY_CATEGORIES.indexOf(category);
    const kind = known < 0 ? PROFANITY_CATEGORIES.length - 1 : known;
    return [[term, 2 * kind + (Number(severity) >= 2 ? 1 : 0)]];
  });
}

async function readWords(file: string): Promise<[string, number][]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line): [string, number][] => {
    const row: unknown = JSON.parse(line);
    if (!isObject(row) || typeof row.term !== "string") return [];
    const kind = OWN_CATEGORIES.indexOf(String(row.category));
    if (kind < 0) return [];
    const at = 2 * PROFANITY_CATEGORIES.length + 2 * kind + (Number(row.severity) >= 2 ? 1 : 0);
    return at < LEXICON_CATEGORIES ? [[row.term, at]] : [];
  });
}

function familiarWords(rows: readonly Row[]): Uint8Array {
  const texts = new Uint16Array(FEATURE_BUCKETS);
  const firstSource = new Map<number, string>();
  const several = new Uint8Array(FEATURE_BUCKETS);
  for (const { text, label, source } of rows) {
    if (label !== "benign") continue;
    const places = new Set(
      (text.toLowerCase().match(/[a-z_']+/g) ?? []).map((word) => wordBucket(hashWord(word))),
    );
    for (const place of places) {
      texts[place] = Math.min(60_000, (texts[place] ?? 0) + 1);
      const first = firstSource.get(place);
      if (first === undefined) firstSource.set(place, source);
      else if (first !== source) several[place] = 1;
    }
  }
  const familiar = new Uint8Array(FEATURE_BUCKETS / 8);
  for (let place = 0; place < FEATURE_BUCKETS; place++) {
    if ((texts[place] ?? 0) >= FAMILIAR_TEXTS_MIN && several[place] === 1) setBit(familiar, place);
  }
  return familiar;
}
