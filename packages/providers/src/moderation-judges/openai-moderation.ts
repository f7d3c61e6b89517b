import { bearerHeader, isScore, type JudgeFormat, requireObject, unreadableAnswer } from "./judge-format.ts";

/** One of our categories, and the endpoint's own that tell of it. Without the first of them it was not told of. */
type CategoryMapping = readonly [category: string, theirs: readonly [string, ...string[]]];

const OPENAI_CATEGORIES: readonly CategoryMapping[] = [
  ["harassment", ["harassment", "harassment/threatening"]],
  ["hate", ["hate", "hate/threatening"]],
  ["illicit", ["illicit", "illicit/violent"]],
  [
    "unsafe_intent",
    [
      "illicit",
      "illicit/violent",
      "self-harm/intent",
      "self-harm/instructions",
      "harassment/threatening",
      "hate/threatening",
      "sexual/minors",
    ],
  ],
  ["self_harm", ["self-harm", "self-harm/intent", "self-harm/instructions"]],
  ["sexual", ["sexual", "sexual/minors"]],
  ["sexual_minors", ["sexual/minors"]],
  ["violence", ["violence", "violence/graphic", "harassment/threatening", "hate/threatening"]],
];

/** Mistral took the form over, with names of its own. Newer models tell crimes and dangers apart, and know jailbreaks. */
const MISTRAL_CATEGORIES: readonly CategoryMapping[] = [
  ["hate", ["hate_and_discrimination"]],
  ["illicit", ["dangerous_and_criminal_content"]],
  ["illicit", ["criminal", "dangerous"]],
  ["unsafe_intent", ["dangerous_and_criminal_content", "violence_and_threats"]],
  ["unsafe_intent", ["criminal", "dangerous", "violence_and_threats"]],
  ["jailbreak", ["jailbreaking"]],
  ["self_harm", ["selfharm"]],
  ["sexual", ["sexual"]],
  ["violence", ["violence_and_threats"]],
];

/** `POST /v1/moderations`, as OpenAI has it. */
export const openAiModeration = moderationFormat(OPENAI_CATEGORIES);

/** The same, as Mistral has it. */
export const mistralModeration = moderationFormat(MISTRAL_CATEGORIES);

function moderationFormat(categoryMappings: readonly CategoryMapping[]): JudgeFormat {
  return {
    categories: [...new Set(categoryMappings.map(([category]) => category))],
    headers: bearerHeader,
    body: ({ text }, { model }) => ({ ...(model === undefined ? {} : { model }), input: [text] }),
    read: (answer) => readModeration(answer, categoryMappings),
  };
}

function readModeration(
  answer: unknown,
  categoryMappings: readonly CategoryMapping[],
): Readonly<Record<string, number>> {
  const { results } = requireObject(answer, "object");
  if (!Array.isArray(results) || results.length !== 1) throw unreadableAnswer("has not one result");
  const result = requireObject(results[0], "result");
  const scores = requireObject(result.category_scores, "category_scores");
  const flags = requireObject(result.categories, "categories");
  // What the endpoint itself would flag is sure, whatever the number is that it does so at.
  const scoreOf = (name: string) => (flags[name] === true ? 1 : scores[name]);
  const ours: Record<string, number> = {};
  for (const [category, [first, ...others]] of categoryMappings) {
    const main = scoreOf(first);
    if (!isScore(main)) continue;
    ours[category] = Math.max(main, ours[category] ?? 0, ...others.map(scoreOf).filter(isScore));
  }
  if (Object.keys(ours).length === 0) throw unreadableAnswer("has no known category");
  return ours;
}
