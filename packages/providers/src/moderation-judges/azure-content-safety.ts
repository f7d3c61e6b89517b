import type { JudgeAccess, JudgeFormat } from "./judge-format.ts";
import { objectOr, unreadable } from "./judge-format.ts";

const OURS: Readonly<Record<string, string>> = {
  Hate: "hate",
  SelfHarm: "self_harm",
  Sexual: "sexual",
  Violence: "violence",
};

/** Of the four levels: safe, low, medium, high. */
const SCORES = new Map<unknown, number>([
  [0, 0],
  [2, 0.4],
  [4, 0.8],
  [6, 1],
]);

function subscription({ key }: JudgeAccess): Record<string, string> {
  return key === undefined ? {} : { "ocp-apim-subscription-key": key.reveal() };
}

/** Azure AI Content Safety, `text:analyze`. */
export const azureContentSafety: JudgeFormat = {
  tells: Object.values(OURS),
  headers: subscription,
  body: ({ text }) => ({ text, categories: Object.keys(OURS), outputType: "FourSeverityLevels" }),
  read(answer) {
    const { categoriesAnalysis: analysis } = objectOr(answer, "object");
    if (!Array.isArray(analysis)) throw unreadable("has no categoriesAnalysis");
    const ours: Record<string, number> = {};
    for (const entry of analysis) {
      const { category, severity } = objectOr(entry, "analysis");
      const name = typeof category === "string" ? OURS[category] : undefined;
      const score = SCORES.get(severity);
      if (name === undefined || score === undefined) throw unreadable("has an unknown category or severity");
      ours[name] = score;
    }
    if (Object.keys(ours).length === 0) throw unreadable("has no category");
    return ours;
  },
};

/** Azure AI Content Safety, `text:shieldPrompt`: attacks, and nothing else. */
export const azurePromptShield: JudgeFormat = {
  tells: ["injection", "jailbreak"],
  headers: subscription,
  body: ({ text, channel }) =>
    channel === "document" ? { userPrompt: "", documents: [text] } : { userPrompt: text, documents: [] },
  read(answer) {
    const { userPromptAnalysis, documentsAnalysis } = objectOr(answer, "object");
    const analyses = [userPromptAnalysis, ...(Array.isArray(documentsAnalysis) ? documentsAnalysis : [])];
    const found = analyses.flatMap((analysis) =>
      analysis === undefined || analysis === null ? [] : [objectOr(analysis, "analysis").attackDetected],
    );
    if (found.length === 0 || found.some((detected) => typeof detected !== "boolean"))
      throw unreadable("does not say whether there is an attack");
    const score = found.includes(true) ? 1 : 0;
    return { injection: score, jailbreak: score };
  },
};
