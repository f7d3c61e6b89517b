import type { JudgeAccess, JudgeFormat } from "./judge-format.ts";
import { requireObject, unreadableAnswer } from "./judge-format.ts";

const AZURE_CATEGORIES: Readonly<Record<string, string>> = {
  Hate: "hate",
  SelfHarm: "self_harm",
  Sexual: "sexual",
  Violence: "violence",
};

/** Of the four levels: safe, low, medium, high. */
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
      if (name === undefined || score === undefined)
        throw unreadableAnswer("has an unknown category or severity");
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
