import { type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { type Builtin, builtinModel } from "../builtin.ts";
import { streamText, userTextsOf } from "../text.ts";
import { type Query, SearchIndex, type SearchResult, termsOf } from "./search-index.ts";
import { type Doc, type Passage, type Section, sectionsOf } from "./sections.ts";

/** Under this share of the question found, an answer would be about something else. */
const COVERAGE_MIN = 0.5;
/** A second section speaks too when it is nearly as good as the first. */
const SECOND_SCORE_SHARE = 0.72;
/** A question is short; more than this is not one, and is not searched for whole. */
const QUESTION_CHARACTERS_MAX = 2_000;

/** Names only ways that this service really has. */
const ADD_A_MODEL =
  "To get answers from a real model, register its endpoint with POST /v1/provider/models and ask again.";

/** The model that answers questions about Trunkline from Trunkline's own documentation. */
export function createGuide(docs: readonly Doc[]): Builtin {
  let loadedDocs: LoadedDocs | undefined;
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
      loadedDocs ??= loadDocs(docs);
      const told = answerTo(questionOf(inference.conversation), loadedDocs);
      yield* streamText(textOf(inference.conversation), told, inference.parameters.maxTokens, signal);
    },
  };
}

/** Everything the guide has read. To read it takes a good part of a start: only who asks first waits for it. */
interface LoadedDocs {
  readonly sections: readonly Section[];
  readonly index: SearchIndex;
}

function loadDocs(docs: readonly Doc[]): LoadedDocs {
  const sections = docs.flatMap(sectionsOf);
  return { sections, index: new SearchIndex(sections) };
}

/** The last thing asked, with what came before where it only makes sense with that. */
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
  const told = [composeAnswer(best.section, query)];
  if (second !== undefined) told.push(composeAnswer(second.section, query, 2));
  return withSources(told, second === undefined ? [best.section] : [best.section, second.section]);
}

function isWorthAdding(best: SearchResult, searchResult: SearchResult): boolean {
  return searchResult.score >= best.score * SECOND_SCORE_SHARE && searchResult.coverage >= COVERAGE_MIN;
}

/** What Trunkline is, in the words its documentation opens with. */
function introduce(sections: readonly Section[]): string {
  const isOpening = (section: Section) => section.passages[0]?.kind === "sentence";
  const opening =
    sections.find((section) => /(?:^|\/)readme\.md$/i.test(section.file) && isOpening(section)) ??
    sections.find(isOpening);
  return opening === undefined ? decline() : withSources([composeAnswer(opening, new Map(), 4)], [opening]);
}

function withSources(told: readonly string[], sections: readonly Section[]): string {
  return `${told.join("\n\n")}\n\nSources: ${sections.map(sourceOf).join("; ")}`;
}

function greet(): string {
  return `Hello. I am Trunkline's built-in guide: ask me about Trunkline, for example "How do I create a key?", and I answer from its documentation. ${ADD_A_MODEL}`;
}

function decline(): string {
  return `I only know Trunkline's documentation, and found nothing in it that answers this. ${ADD_A_MODEL}`;
}

const PASSAGES_MAX = 5;
/** An answer is short: once it has this many characters, nothing more is added to it. */
const PROSE_CHARACTERS_MAX = 700;
const CODE_LINES_MAX = 30;
/** A passage must be worth this share of the best one to stand beside it. */
const RELEVANCE_SHARE_MIN = 0.4;

/** The passages of a section that answer best, as readable text in the section's own order. */
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

/** `file › heading`, as a reader finds it. */
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
  if (previous.kind === "sentence" && next.kind === "sentence") return previous.block === next.block ? " " : "\n\n";
  return previous.kind === next.kind && next.kind !== "code" ? "\n" : "\n\n";
}
