import type { Section } from "./sections.ts";

export interface SearchResult {
  readonly section: Section;
  readonly score: number;
  /** 0 to 1: the share of the question that this section covers. */
  readonly coverage: number;
}

/** The terms of a question with their weights. */
export type Query = ReadonlyMap<string, number>;

interface Entry {
  readonly section: Section;
  readonly weights: ReadonlyMap<string, number>;
  readonly length: number;
}

const HEADING_WEIGHT = 3;
const ANCESTOR_WEIGHT = 1;
const RELATED_WEIGHT = 0.45;
/** Caps the weight of a rare term, so that it does not outweigh the rest of the question. */
const RARITY_MAX = 3.2;
const SATURATION = 1.3;
const LENGTH_SHARE = 0.6;

/** Ranked search (BM25) over the sections of the documentation. */
export class SearchIndex {
  readonly #entries: readonly Entry[];
  readonly #documents = new Map<string, number>();
  readonly #averageLength: number;

  constructor(sections: readonly Section[]) {
    this.#entries = sections.map(entryOf);
    for (const { weights } of this.#entries) {
      for (const term of weights.keys()) this.#documents.set(term, (this.#documents.get(term) ?? 0) + 1);
    }
    const total = this.#entries.reduce((sum, entry) => sum + entry.length, 0);
    this.#averageLength = total / Math.max(1, this.#entries.length);
  }

  /** The weights of the terms of a question and of their synonyms. */
  queryOf(question: string): Query {
    const query = new Map<string, number>();
    for (const term of termsOf(question)) query.set(term, this.rarityOf(term));
    for (const term of [...query.keys()]) {
      for (const related of relatedTermsOf(term)) {
        if (!query.has(related)) query.set(related, RELATED_WEIGHT * this.rarityOf(related));
      }
    }
    return query;
  }

  find(question: string): SearchResult[] {
    const query = this.queryOf(question);
    const asked = new Set(termsOf(question));
    const found = this.#entries
      .map((entry) => ({
        section: entry.section,
        score: this.#scoreOf(entry, query),
        coverage: this.#coverageOf(entry, asked),
      }))
      .filter(({ score }) => score > 0);
    return found.sort((left, right) => right.score - left.score);
  }

  /** The inverse document frequency. A term that does not occur counts like one that occurs once. */
  rarityOf(term: string): number {
    const documents = this.#documents.get(term) ?? 1;
    const rarity = Math.log(1 + (this.#entries.length - documents + 0.5) / (documents + 0.5));
    return Math.min(RARITY_MAX, rarity);
  }

  #scoreOf(entry: Entry, query: Query): number {
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * entry.length) / this.#averageLength);
    let score = 0;
    for (const [term, weight] of query) {
      const count = entry.weights.get(term) ?? 0;
      score += (weight * count * (SATURATION + 1)) / (count + norm);
    }
    return score;
  }

  #coverageOf(entry: Entry, asked: ReadonlySet<string>): number {
    let met = 0;
    let all = 0;
    for (const term of asked) {
      const rarity = this.rarityOf(term);
      all += rarity;
      if (entry.weights.has(term)) met += rarity;
      else if ([...relatedTermsOf(term)].some((related) => entry.weights.has(related))) met += rarity * 0.7;
    }
    return all === 0 ? 0 : met / all;
  }
}

function entryOf(section: Section): Entry {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const term of termsOf(text)) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  for (const { text } of section.passages) add(text, 1);
  const length = [...weights.values()].reduce((sum, count) => sum + count, 0);
  section.headings.forEach((heading, depth) => {
    add(heading, depth === section.headings.length - 1 ? HEADING_WEIGHT : ANCESTOR_WEIGHT);
  });
  add(section.file.replace(/\.\w+$/, ""), ANCESTOR_WEIGHT);
  return { section, weights, length };
}

/** Stop words: neither indexed nor searched for. */
const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be because been but by can could did do does doing done for from get gets " +
    "give go going got had has have he her here hey hi hello his how i if in into is it its itself just know let like make me " +
    "more most much my no not now of off on one only onto or other our out over please s should show so some such t tell than " +
    "thank thanks that the their them then there these they this those thing to too up us use used using very want was we well " +
    "were what when where which while who whom whose why will with without would write you your yours explain mean means work works"
  ).split(" "),
);

/**
 * The topic words of a text, stemmed, in order. A compound such as `max_tokens` or `/v1/generate` counts as itself and as
 * its parts, because people type either.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [compound] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:[_\-./:][\p{L}\p{N}]+)*/gu)) {
    const parts = compound.split(/[_\-./:]/);
    if (parts.length > 1) terms.push(compound);
    for (const part of parts) {
      if (part.length > 1 && !STOP_WORDS.has(part)) terms.push(stemOf(part));
    }
  }
  return terms;
}

/** A word without common English endings, so that "routing" finds "routes". The stem need not be a word. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutLastE(withoutSuffix(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.length > 4 && /ie[sd]$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^suia]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutSuffix(word: string): string {
  const match = /^(.*[aeiouy].*?)(ations?|ating|ated|ate|ing|ed|ment|ly)$/.exec(word);
  const rest = match?.[1];
  if (rest === undefined || rest.length < 3) return word;
  // "stopping" and "stop" get one stem; "calling" and "call" already have one.
  return /([^aeioulsz])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}

function withoutLastE(word: string): string {
  return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
}

/** Words that people use, and the words of the documentation. */
const SYNONYMS: readonly (readonly [string, string])[] = [
  ["install setup begin launch boot", "start run quick"],
  ["price pricing expensive cheap fee charge bill", "cost price credits"],
  ["cost", "price credits"],
  ["pay payment money fund deposit topup", "balance credits funding"],
  ["login signin auth authentication authorization authenticate", "key authenticate bearer"],
  ["api", "request endpoint"],
  ["apikey secret credential", "key"],
  ["fail failure problem wrong broken crash", "error"],
  ["throttle quota", "limit rate"],
  ["picture photo draw drawing", "image"],
  ["sound speech speak speaking talk tts", "audio voice"],
  ["llm llms", "model"],
  ["register registration", "add provider register registration"],
  ["add", "register"],
  ["config configuration option options", "configure setting variable"],
  ["env environment", "variable environment"],
  ["fallback backup", "failover fallback backup"],
  ["failover", "fallback backup"],
  ["router", "routing route"],
  ["moderation jailbreak injection", "safety"],
  ["database db storage", "store postgresql data"],
  ["remove", "delete revoke"],
  ["cancel abort", "stop hang"],
  ["node requirements prerequisites", "node requirements needs"],
  ["self-host selfhost hosting deployment", "deploy run docker"],
  ["chatgpt gpt", "openai"],
  ["claude", "anthropic"],
  ["wallet crypto", "token deposit wallet"],
];

const BY_STEM = new Map<string, Set<string>>();
for (const [used, meant] of SYNONYMS) {
  for (const word of used.split(" ").map(stemOf)) {
    const related = BY_STEM.get(word) ?? new Set<string>();
    for (const other of meant.split(" ").map(stemOf)) {
      if (other !== word) related.add(other);
    }
    BY_STEM.set(word, related);
  }
}

/** Synonyms of a term in the documentation. They weigh less than the term itself. */
function relatedTermsOf(term: string): ReadonlySet<string> {
  return BY_STEM.get(term) ?? new Set();
}
