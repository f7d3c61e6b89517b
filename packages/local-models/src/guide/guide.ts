import { type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { userTextsOf } from "../asked-text.ts";
import { type Builtin, builtinModel } from "../builtin.ts";
import { streamText } from "../stream-text.ts";
import { composeAnswer, sourceOf } from "./compose-answer.ts";
import { SearchIndex, type SearchResult } from "./search-index.ts";
import { type Doc, type Section, sectionsOf } from "./sections.ts";
import { termsOf } from "./terms.ts";

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
  const leansBack =
    /^(?:and|but|so|ok|then|what about|how about|why)\b|\b(?:it|that|this|them|those)\b/i.test(last);
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
  if (best === undefined || best.coverage < (namesTrunkline ? COVERAGE_MIN * 0.8 : COVERAGE_MIN))
    return decline();

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
