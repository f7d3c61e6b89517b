import {
  bearerHeader,
  CATEGORY_DESCRIPTIONS,
  isScore,
  type JudgeAccess,
  type JudgeFormat,
  requireObject,
  unreadableAnswer,
} from "./judge-format.ts";

/**
 * One of our categories, and the endpoint's own that correspond to it. Without the first of these, it was not rated.
 */
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

/** Mistral uses the same form with its own names. Newer models separate crimes from dangers, and detect jailbreaks. */
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

/** `POST /v1/moderations`, as OpenAI defines it. */
export const openAiModeration = moderationFormat(OPENAI_CATEGORIES);

/** The same, as Mistral defines it. */
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
  // What the endpoint itself flags counts as certain, whatever its threshold is.
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

const AZURE_CATEGORIES: Readonly<Record<string, string>> = {
  Hate: "hate",
  SelfHarm: "self_harm",
  Sexual: "sexual",
  Violence: "violence",
};

/** The four levels: safe, low, medium, high. */
const SEVERITY_SCORES = new Map<unknown, number>([
  [0, 0],
  [2, 0.4],
  [4, 0.8],
  [6, 1],
]);

function subscriptionKeyHeader({ key }: JudgeAccess): Record<string, string> {
  return key === undefined ? {} : { "ocp-apim-subscription-key": key.reveal() };
}

/** Azure AI Content Safety, `text:analyze`. */
export const azureContentSafety: JudgeFormat = {
  categories: Object.values(AZURE_CATEGORIES),
  headers: subscriptionKeyHeader,
  body: ({ text }) => ({ text, categories: Object.keys(AZURE_CATEGORIES), outputType: "FourSeverityLevels" }),
  read(answer) {
    const { categoriesAnalysis: analysis } = requireObject(answer, "object");
    if (!Array.isArray(analysis)) throw unreadableAnswer("has no categoriesAnalysis");
    const ours: Record<string, number> = {};
    for (const entry of analysis) {
      const { category, severity } = requireObject(entry, "analysis");
      const name = typeof category === "string" ? AZURE_CATEGORIES[category] : undefined;
      const score = SEVERITY_SCORES.get(severity);
      if (name === undefined || score === undefined) throw unreadableAnswer("has an unknown category or severity");
      ours[name] = score;
    }
    if (Object.keys(ours).length === 0) throw unreadableAnswer("has no category");
    return ours;
  },
};

/** Azure AI Content Safety, `text:shieldPrompt`: attacks, and nothing else. */
export const azurePromptShield: JudgeFormat = {
  categories: ["injection", "jailbreak"],
  headers: subscriptionKeyHeader,
  body: ({ text, channel }) =>
    channel === "document" ? { userPrompt: "", documents: [text] } : { userPrompt: text, documents: [] },
  read(answer) {
    const { userPromptAnalysis, documentsAnalysis } = requireObject(answer, "object");
    const analyses = [userPromptAnalysis, ...(Array.isArray(documentsAnalysis) ? documentsAnalysis : [])];
    const found = analyses.flatMap((analysis) =>
      analysis === undefined || analysis === null ? [] : [requireObject(analysis, "analysis").attackDetected],
    );
    if (found.length === 0 || found.some((detected) => typeof detected !== "boolean"))
      throw unreadableAnswer("does not say whether there is an attack");
    const score = found.includes(true) ? 1 : 0;
    return { injection: score, jailbreak: score };
  },
};

/** Our categories for each hazard in its list. An empty list: we have no such category. */
const HAZARD_CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  S1: ["violence", "illicit", "unsafe_intent"],
  S2: ["illicit", "unsafe_intent"],
  S3: ["sexual", "illicit", "unsafe_intent"],
  S4: ["sexual_minors", "unsafe_intent"],
  S5: [],
  S6: [],
  S7: ["unsafe_intent"],
  S8: [],
  S9: ["violence", "illicit", "unsafe_intent"],
  S10: ["hate"],
  S11: ["self_harm"],
  S12: ["sexual"],
  S13: [],
  S14: ["illicit", "unsafe_intent"],
};
const LLAMA_GUARD_CATEGORIES = [...new Set(Object.values(HAZARD_CATEGORIES).flat())];
const LLAMA_GUARD_ANSWER = /^\s*(?:safe|unsafe\s*\n\s*(?<hazards>S\d{1,2}(?:\s*,\s*S\d{1,2})*))\s*$/;
/** It returns one word and a few letters. */
const LLAMA_GUARD_TOKENS_MAX = 64;

/** A model like Llama Guard behind an OpenAI-compatible server that applies the model's own template. */
export const llamaGuardChat: JudgeFormat = {
  categories: LLAMA_GUARD_CATEGORIES,
  headers: bearerHeader,
  body: ({ text }, { model }) => ({
    ...(model === undefined ? {} : { model }),
    messages: [{ role: "user", content: text }],
    temperature: 0,
    max_tokens: LLAMA_GUARD_TOKENS_MAX,
  }),
  read(answer) {
    const { choices } = requireObject(answer, "object");
    const { message } = requireObject(Array.isArray(choices) ? choices[0] : undefined, "choice");
    const { content } = requireObject(message, "message");
    const match = typeof content === "string" ? LLAMA_GUARD_ANSWER.exec(content) : null;
    if (match === null) throw unreadableAnswer("is neither safe nor unsafe");
    const hazards = match.groups?.hazards;
    if (hazards === undefined) return Object.fromEntries(LLAMA_GUARD_CATEGORIES.map((category) => [category, 0]));
    // It found the text unsafe: a hazard that it does not name may still be there.
    return Object.fromEntries(
      hazards.split(",").flatMap((hazard) => {
        const categories = HAZARD_CATEGORIES[hazard.trim()];
        if (categories === undefined) throw unreadableAnswer("names an unknown hazard");
        return categories.map((category) => [category, 1] as const);
      }),
    );
  },
};

const ALL_CATEGORIES = Object.keys(CATEGORY_DESCRIPTIONS);

/** `POST /v1/safety/check` of another service like this one. */
export const trunklineSafetyCheck: JudgeFormat = {
  categories: ALL_CATEGORIES,
  headers: bearerHeader,
  body: ({ text, channel }) => ({ input: text, channel }),
  read(answer) {
    const categories = requireObject(requireObject(answer, "object").categories, "categories");
    const scores = ALL_CATEGORIES.flatMap((category) => {
      const score = categories[category];
      if (score === undefined) return [];
      if (!isScore(score)) throw unreadableAnswer(`has a wrong score of ${category}`);
      return [[category, score] as const];
    });
    if (scores.length === 0) throw unreadableAnswer("has no known category");
    return Object.fromEntries(scores);
  },
};

export const JUDGE_KINDS = [
  "openai-moderation",
  "mistral-moderation",
  "azure-content-safety",
  "azure-prompt-shield",
  "llama-guard-chat",
  "trunkline",
] as const;
export type JudgeKind = (typeof JUDGE_KINDS)[number];

/** The format of each kind of moderation endpoint. */
export const JUDGE_FORMATS: Readonly<Record<JudgeKind, JudgeFormat>> = {
  "openai-moderation": openAiModeration,
  "mistral-moderation": mistralModeration,
  "azure-content-safety": azureContentSafety,
  "azure-prompt-shield": azurePromptShield,
  "llama-guard-chat": llamaGuardChat,
  trunkline: trunklineSafetyCheck,
};
