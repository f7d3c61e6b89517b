import { relatedTermsOf } from "./related-terms.ts";
import type { Section } from "./sections.ts";
import { termsOf } from "./terms.ts";

/** A section that may answer, best first. */
export interface SearchResult {
  readonly section: Section;
  readonly score: number;
  /** 0 to 1: how much of what was asked this section speaks of. */
  readonly coverage: number;
}

/** The terms of a question and how much each matters. */
export type Query = ReadonlyMap<string, number>;

interface Entry {
  readonly section: Section;
  readonly weights: ReadonlyMap<string, number>;
  readonly length: number;
}

const HEADING_WEIGHT = 3;
const ANCESTOR_WEIGHT = 1;
const RELATED_WEIGHT = 0.45;
/** No term, however rare, may outweigh the rest of the question on its own. */
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

  /** What the words of a question weigh, words that may stand for them included. */
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

  /** How telling a term is: high for a rare one. One that appears nowhere counts like one that appears once. */
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
