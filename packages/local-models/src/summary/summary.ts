import { truncateText } from "@trunkline/core/code-points.ts";
import type { Conversation } from "@trunkline/core/conversation.ts";
import type { Task } from "@trunkline/core/inference.ts";
import { type Builtin, builtinModel, cooperativeYield } from "../builtin/builtin.ts";
import { streamText, userTextsOf } from "../builtin/text.ts";
import { type AnalysedText, analyseText } from "./analyse-text.ts";
import { countWords, findKeyPhrases, pickSentences, summaryLengthOf } from "./summarise.ts";

const WORDS_PER_MINUTE = 230;
/** Languages without spaces between words: each character counts as a word. */
const CHARACTERS_PER_MINUTE = 450;
const CHARACTERS_MAX = 400_000;
/** A text of fewer sentences needs no summary. */
const SENTENCES_MIN = 4;

/** Summarises by picking sentences of the text. */
export function createSummary(): Builtin {
  return {
    model: builtinModel({
      id: "0b1de000-0000-4000-8000-000000000002",
      name: "summary",
      type: "text",
      description:
        "Sums up the text it is given: its most telling sentences word for word, its key phrases, its language and how long it takes to read. Statistics, not a language model: it follows no instructions.",
      capabilities: ["summarization", "analysis", "keywords", "language-detection"],
      specialties: ["summary", "key-phrases", "reading-time"],
      avgLatencyMs: 15,
      accuracyScore: 0.3,
    }),
    async *answer(inference, signal) {
      const text = textToSummarise(inference.conversation);
      const description = await describeText(text, inference.task, cooperativeYield(signal));
      yield* streamText(text, description, inference.parameters.maxTokens, signal);
    },
  };
}

/** The text to summarise, without a leading instruction such as "Summarise this:". */
function textToSummarise(conversation: Conversation): string {
  return truncateText(userTextsOf(conversation).join("\n\n"), CHARACTERS_MAX)
    .replace(
      /^\s*(?:please\s+|can you\s+)?(?:summari[sz]e|sum up|analy[sz]e|tl;?dr|give me a summary)\b[^:\n]{0,80}[:\n]\s*/i,
      "",
    )
    .trim();
}

async function describeText(text: string, task: Task, nextTurn: () => Promise<void>): Promise<string> {
  const analysedText = await analyseText(text, nextTurn);
  if (analysedText.wordCount === 0) return "There are no words in this text, so there is nothing to sum up.";
  if (/^language|^detect-language/.test(task.word)) return `${languageLine(analysedText)}.`;

  const counts = await countWords(analysedText, nextTurn);
  const phrases = await findKeyPhrases(analysedText, counts, nextTurn);
  const phraseLine = phrases.length > 0 ? `Key phrases: ${phrases.join(", ")}` : "";
  if (/^key-?(?:words?|phrases?)/.test(task.word))
    return phraseLine === "" ? "This text has no key phrases." : phraseLine;

  const summary =
    analysedText.sentences.length < SENTENCES_MIN
      ? `This text is so short that it is its own summary: ${analysedText.sentences.map((sentence) => sentence.text).join(" ")}`
      : (await pickSentences(analysedText, counts, summaryLengthOf(analysedText.sentences.length), nextTurn)).join(" ");
  return [...caveatOf(task), summary, "", phraseLine, languageLine(analysedText), lengthLine(analysedText)]
    .filter((line, index, lines) => line !== "" || lines[index - 1] !== "")
    .join("\n");
}

/** Some tasks come here because no better model is available. Then the answer says that it is not what was requested. */
function caveatOf(task: Task): readonly string[] {
  const beyond = /^(?:translat|classif|sentiment|rewrit|paraphras)/.test(task.word);
  return beyond ? [`This built-in model can't do ${task.word}; here is a summary of the text instead.`, ""] : [];
}

function languageLine(analysedText: AnalysedText): string {
  return `Language: ${analysedText.language ?? "not certain"}`;
}

function lengthLine({ wordCount, sentences, language }: AnalysedText): string {
  const isUnspaced = language === "Chinese" || language === "Japanese" || language === "Thai";
  const minutes = Math.round(wordCount / (isUnspaced ? CHARACTERS_PER_MINUTE : WORDS_PER_MINUTE));
  const time = minutes < 1 ? "less than a minute" : minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
  const length = plural(wordCount, isUnspaced ? "character" : "word");
  return `Length: ${length} in ${plural(sentences.length, "sentence")}, ${time} to read`;
}

function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
