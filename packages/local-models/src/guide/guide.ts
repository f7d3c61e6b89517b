import { type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { type Builtin, builtinModel } from "../builtin/builtin.ts";
import { streamText, userTextsOf } from "../builtin/text.ts";
import { type Query, SearchIndex, type SearchResult, termsOf } from "./search-index.ts";
import { type Doc, type Passage, type Section, sectionsOf } from "./sections.ts";

/** If a section covers a smaller share of the question, it does not answer it. */
const COVERAGE_MIN = 0.5;
/** A second section is added if it is nearly as good as the first. */
const SECOND_SCORE_SHARE = 0.72;
/** Only this much of a long question is searched for. */
const QUESTION_CHARACTERS_MAX = 2_000;

/** Names only paths that this service has. */
const ADD_A_MODEL =
  "To get answers from a real model, register its endpoint with POST /v1/provider/models and ask again.";

/** Answers questions about Trunkline from its documentation. */
export function createGuide(docs: readonly Doc[]): Builtin {
  return {
    model: builtinModel({
      id: "0b1de000-0000-4000-8000-000000000001",
      name: "guide",
      type: "text",
      description:
        "Answers questions about Trunkline from its own documentation, with the sources. A search that quotes, not a language model: it knows nothing else and says so.",
      capabilities: ["chat", "completion", "question-answering"],
      specialties: ["trunkline", "documentation"],
      avgLatencyMs: 5,
      accuracyScore: 0.2,
    }),
    async *answer(inference, signal) {
      const answer = answerTo(questionOf(inference.conversation), loadDocs(docs));
      yield* streamText(textOf(inference.conversation), answer, inference.parameters.maxTokens, signal);
    },
  };
}

/** The indexed documentation. It is read at the first question, because reading it would slow down the start. */
interface LoadedDocs {
  readonly sections: readonly Section[];
  readonly index: SearchIndex;
}

/** Several services in one process that answer from the same pages share what was read. */
const loaded = new WeakMap<readonly Doc[], LoadedDocs>();

function loadDocs(docs: readonly Doc[]): LoadedDocs {
  let known = loaded.get(docs);
  if (known === undefined) {
    const sections = docs.flatMap(sectionsOf);
    known = { sections, index: new SearchIndex(sections) };
    loaded.set(docs, known);
  }
  return known;
}

/** The last question, with the one before if it is a follow-up. */
function questionOf(conversation: Conversation): string {
  const texts = userTextsOf(conversation).map((text) => text.slice(0, QUESTION_CHARACTERS_MAX));
  const last = texts.at(-1) ?? "";
  const leansBack = /^(?:and|but|so|ok|then|what about|how about|why)\b|\b(?:it|that|this|them|those)\b/i.test(last);
  const before = texts.at(-2);
  return before !== undefined && leansBack && termsOf(last).length <= 2 ? `${before}\n${last}` : last;
}

function answerTo(question: string, { sections, index }: LoadedDocs): string {
  const topics = termsOf(question).filter((term) => term !== "trunklin");
  const namesTrunkline = /\btrunkline\b/i.test(question);
  if (topics.length === 0) {
    if (namesTrunkline) return introduce(sections);
    // "Hello" and "Who are you?" have no topic; "What is 2 + 2?" has one that is not ours.
    return /\d/.test(question) ? decline() : greet();
  }

  const searched = question.replace(/\btrunkline(?:'s)?\b/gi, " ");
  const [best, ...others] = index.find(searched);
  if (best === undefined || best.coverage < (namesTrunkline ? COVERAGE_MIN * 0.8 : COVERAGE_MIN)) return decline();

  const second = others.find((searchResult) => isWorthAdding(best, searchResult));
  const query = index.queryOf(searched);
  const answers = [composeAnswer(best.section, query)];
  if (second !== undefined) answers.push(composeAnswer(second.section, query, 2));
  return withSources(answers, second === undefined ? [best.section] : [best.section, second.section]);
}

function isWorthAdding(best: SearchResult, searchResult: SearchResult): boolean {
  return searchResult.score >= best.score * SECOND_SCORE_SHARE && searchResult.coverage >= COVERAGE_MIN;
}

/** What Trunkline is, from the start of the documentation. */
function introduce(sections: readonly Section[]): string {
  const isOpening = (section: Section) => section.passages[0]?.kind === "sentence";
  const opening =
    sections.find((section) => /(?:^|\/)readme\.md$/i.test(section.file) && isOpening(section)) ??
    sections.find(isOpening);
  return opening === undefined ? decline() : withSources([composeAnswer(opening, new Map(), 4)], [opening]);
}

function withSources(answers: readonly string[], sections: readonly Section[]): string {
  return `${answers.join("\n\n")}\n\nSources: ${sections.map(sourceOf).join("; ")}`;
}

function greet(): string {
  return `Hello. I am Trunkline's built-in guide: ask me about Trunkline, for example "How do I create a key?", and I answer from its documentation. ${ADD_A_MODEL}`;
}

function decline(): string {
  return `I only know Trunkline's documentation, and found nothing in it that answers this. ${ADD_A_MODEL}`;
}

const PASSAGES_MAX = 5;
/** Nothing is added to an answer of this many characters. */
const PROSE_CHARACTERS_MAX = 700;
const CODE_LINES_MAX = 30;
/** A passage must score this share of the best one to be included. */
const RELEVANCE_SHARE_MIN = 0.4;

/** The best passages of a section, as readable text in the section's order. */
function composeAnswer(section: Section, query: Query, passagesMax: number = PASSAGES_MAX): string {
  const chosen = new Set(bestProse(section, query, passagesMax));
  const code = bestCode(section, query);
  if (code !== undefined) chosen.add(code);
  for (const passage of [...chosen]) {
    const lead = leadInOf(section, passage);
    if (lead !== undefined) chosen.add(lead);
  }
  return render(section.passages.filter((passage) => chosen.has(passage)));
}

/** `file › heading` */
function sourceOf(section: Section): string {
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

/** A sentence such as "Send this:" is useless without what follows. */
function isLeadIn(passage: Passage): boolean {
  return passage.kind === "sentence" && passage.text.endsWith(":");
}

/** The sentence that introduces a passage's list, table or code. */
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

/** The best example: one that shares a word with the question, or the only one. */
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

/** A diagram is fenced without a language. It is only used for questions about its words. */
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
  if (previous.kind === "sentence" && next.kind === "sentence") return previous.block === next.block ? " " : "\n\n";
  return previous.kind === next.kind && next.kind !== "code" ? "\n" : "\n\n";
}
