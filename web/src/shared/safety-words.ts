import type { AnswerOf } from "@trunkline/sdk";
import type { Tone } from "../ui/badge.tsx";

export type SafetyAction = AnswerOf<"POST /v1/safety/check">["action"];

const NAMES: Readonly<Record<string, string>> = {
  injection: "Injection",
  jailbreak: "Jailbreak",
  unsafe_intent: "Unsafe intent",
  hate: "Hate",
  harassment: "Harassment",
  sexual: "Sexual",
  sexual_minors: "Sexual, minors",
  violence: "Violence",
  self_harm: "Self-harm",
  illicit: "Illicit",
  pii: "Personal data",
  secret: "Secrets",
};

/** What is found as a value that can be taken out. */
const REDACTABLE: ReadonlySet<string> = new Set(["pii", "secret"]);

export const CATEGORIES: readonly string[] = Object.keys(NAMES);

export function categoryName(category: string): string {
  return NAMES[category] ?? category.replaceAll("_", " ");
}

/** What can be chosen for a category: the sexual abuse of children can't be let pass. */
export function actionsFor(category: string): readonly SafetyAction[] {
  if (category === "sexual_minors") return ["refuse"];
  return REDACTABLE.has(category) ? ["refuse", "redact", "report", "allow"] : ["refuse", "report", "allow"];
}

export function isRedactable(category: string): boolean {
  return REDACTABLE.has(category);
}

export const ACTION_WORDS: Readonly<
  Record<SafetyAction, { readonly verb: string; readonly done: string; readonly would: string; readonly tone: Tone }>
> = {
  allow: { verb: "Allow", done: "allowed", would: "would be allowed", tone: "positive" },
  report: { verb: "Report", done: "reported", would: "would be reported", tone: "info" },
  redact: { verb: "Redact", done: "redacted", would: "would be redacted", tone: "warning" },
  refuse: { verb: "Refuse", done: "refused", would: "would be refused", tone: "danger" },
};
