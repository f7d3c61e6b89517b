import type { Query } from "./search-index.ts";
import type { Passage, Section } from "./sections.ts";
import { termsOf } from "./terms.ts";

const PASSAGES_MAX = 5;
/** An answer is short: once it has this many characters, nothing more is added to it. */
const PROSE_CHARACTERS_MAX = 700;
const CODE_LINES_MAX = 30;
/** A passage must be worth this share of the best one to stand beside it. */
const RELEVANCE_SHARE_MIN = 0.4;

/** The passages of a section that answer best, as readable text in the section's own order. */
export function composeAnswer(section: Section, query: Query, passagesMax: number = PASSAGES_MAX): string {
  const chosen = new Set(bestProse(section, query, passagesMax));
  const code = bestCode(section, query);
  if (code !== undefined) chosen.add(code);
  for (const passage of [...chosen]) {
    const lead = leadInOf(section, passage);
    if (lead !== undefined) chosen.add(lead);
  }
  return render(section.passages.filter((passage) => chosen.has(passage)));
}

/** `file › heading`, as a reader finds it. */
export function sourceOf(section: Section): string {
  const heading = section.headings.at(-1);
  return heading === undefined ? section.file : `${section.file} › ${heading}`;
}

function bestProse(section: Section, query: Query, passagesMax: number): Passage[] {
  const prose = section.passages.filter((passage) => passage.kind !== "code" && !isLeadIn(passage));
  if (prose.length <= passagesMax && lengthOf(prose) <= PROSE_CHARACTERS_MAX) return prose;
  const scored = prose
    .map((passage, index) => ({ passage, worth: relevanceOf(passage, query) + (index === 0 ? 0.5 : 0) }))
    .sort((left, right) => right.worth - left.worth);
  const floor = (scored[0]?.worth ?? 0) * RELEVANCE_SHARE_MIN;
  const best: Passage[] = [];
  for (const { passage, worth } of scored.slice(0, passagesMax)) {
    if (best.length > 0 && (worth < floor || lengthOf([...best, passage]) > PROSE_CHARACTERS_MAX)) continue;
    best.push(passage);
  }
  return best;
}

function lengthOf(passages: readonly Passage[]): number {
  return passages.reduce((sum, { text }) => sum + text.length, 0);
}

/** A sentence such as "Send this:" says nothing without what it opens. */
function isLeadIn(passage: Passage): boolean {
  return passage.kind === "sentence" && passage.text.endsWith(":");
}

/** The sentence that opens the list, table or code that a passage is of. */
function leadInOf(section: Section, passage: Passage): Passage | undefined {
  if (passage.kind === "sentence") return undefined;
  const before = section.passages.findLast((other) => other.block === passage.block - 1);
  return before !== undefined && isLeadIn(before) ? before : undefined;
}

function relevanceOf(passage: Passage, query: Query): number {
  const terms = new Set(termsOf(passage.text));
  let worth = 0;
  for (const [term, weight] of query) if (terms.has(term)) worth += weight;
  return worth / (1 + terms.size / 60);
}

/** The example that fits best: one that shares a word with the question, or the only one there is. */
function bestCode(section: Section, query: Query): Passage | undefined {
  const codes = section.passages.filter(
    ({ kind, text }) => kind === "code" && text.split("\n").length <= CODE_LINES_MAX,
  );
  const [best] = codes
    .map((code) => ({ code, worth: relevanceOf(code, query) }))
    .sort((left, right) => right.worth - left.worth);
  const isWanted = best !== undefined && (best.worth > 0 || (codes.length === 1 && namesLanguage(best.code)));
  return isWanted ? best.code : undefined;
}

/** A drawing is fenced too, but says no language: it only answers who asks for what it shows. */
function namesLanguage(code: Passage): boolean {
  return /^(?:`{3,}|~{3,})\s*\w/.test(code.text);
}

function render(passages: readonly Passage[]): string {
  let text = "";
  let previous: Passage | undefined;
  for (const passage of passages) {
    if (previous !== undefined) text += separatorOf(previous, passage);
    text += passage.text;
    previous = passage;
  }
  return text;
}

function separatorOf(previous: Passage, next: Passage): string {
  if (previous.kind === "sentence" && next.kind === "sentence")
    return previous.block === next.block ? " " : "\n\n";
  return previous.kind === next.kind && next.kind !== "code" ? "\n" : "\n\n";
}
