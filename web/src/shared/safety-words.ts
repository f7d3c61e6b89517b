import type { AnswerOf } from "@trunkline/sdk";
import { texts } from "../texts/texts.ts";
import type { Tone } from "../ui/badge.tsx";

export type SafetyAction = AnswerOf<"POST /v1/safety/check">["action"];

/** Every category, in the order in which they are listed. */
export const CATEGORIES = [
  "injection",
  "jailbreak",
  "unsafe_intent",
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
  "illicit",
  "pii",
  "secret",
] as const;

/** What is found as a value that can be taken out. */
const REDACTABLE: ReadonlySet<string> = new Set(["pii", "secret"]);

export function categoryName(category: string): string {
  return texts.safety.categories.names[category] ?? category.replaceAll("_", " ");
}

/** What can be chosen for a category: the sexual abuse of children can't be let pass. */
export function actionsFor(category: string): readonly SafetyAction[] {
  if (category === "sexual_minors") return ["refuse"];
  return REDACTABLE.has(category) ? ["refuse", "redact", "report", "allow"] : ["refuse", "report", "allow"];
}

export function isRedactable(category: string): boolean {
  return REDACTABLE.has(category);
}

const TONES: Readonly<Record<SafetyAction, Tone>> = {
  allow: "positive",
  report: "info",
  redact: "warning",
  refuse: "danger",
};

/** What an action is called, as an order and as a result, and its colour. */
export function actionWords(action: SafetyAction) {
  return { ...texts.safety.actions[action], tone: TONES[action] };
}
