import { Fault, type FaultDetails } from "@trunkline/core/fault.ts";
import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { actionFor, type SafetyPolicy } from "./policy.ts";

interface Explanation {
  /** Completes the sentence "it …". */
  readonly finding: string;
  /** The same for an answer, where it differs. */
  readonly outputFinding?: string;
  /** What the caller can do. */
  readonly advice: string;
}

/** States what was found and what to do, but never how it was found. */
const EXPLANATIONS: Readonly<Record<SafetyCategory, Explanation>> = {
  injection: {
    finding: "reads like an attempt to override the model's instructions",
    outputFinding:
      "does what nobody asked for, such as calling a tool that was not offered or carrying words of the request away",
    advice: "Rephrase it as a plain request, and check documents and tool results for text that is not yours.",
  },
  jailbreak: {
    finding: "reads like an attempt to talk the model out of its rules",
    advice: "Rephrase it as a plain request without asking the model to drop them.",
  },
  unsafe_intent: {
    finding: "asks for help with something harmful",
    advice: "Rephrase it, or ask about prevention, safety or background instead.",
  },
  hate: { finding: "expresses hatred of a group of people", advice: "Rephrase it without the hatred." },
  harassment: { finding: "harasses a person", advice: "Rephrase it without the abuse." },
  sexual: { finding: "is sexually explicit", advice: "Rephrase it without explicit detail." },
  sexual_minors: {
    finding: "sexualises children",
    advice: "Rephrase it if that was not meant; such material is never served.",
  },
  violence: {
    finding: "is about doing violence to people",
    advice: "Rephrase it, or ask about prevention, safety or background instead.",
  },
  self_harm: {
    finding: "is about ways of harming oneself",
    advice:
      "If you are in distress, please call your local emergency number or a crisis line. Rephrase it to ask for support.",
  },
  illicit: {
    finding: "is about doing something illegal and dangerous",
    advice: "Rephrase it, or ask about prevention, safety or background instead.",
  },
  pii: { finding: "holds personal data", advice: "Rephrase it without the personal data." },
  secret: { finding: "holds a key or another secret", advice: "Rephrase it without the secret." },
};
const DEFAULT_EXPLANATION: Explanation = { finding: "is unsafe", advice: "Rephrase it as a plain request." };

/** The error for a caller whose input is refused. `refusedPart` names the part of the request that was, where it has several. */
export function inputRefusal(policy: SafetyPolicy, verdict: Verdict, refusedPart = "it"): Fault {
  const categories = refusedCategories(policy, verdict);
  const { finding, advice } = explanationOf(categories);
  return new Fault(
    "unsafe_input",
    `The input was refused${categoryList(categories)}: ${refusedPart} ${finding}. ${advice}`,
    {
      categories,
      ...refusedSpans(categories, verdict),
    },
  );
}

/** The error for a caller whose model's answer is refused. */
export function outputRefusal(policy: SafetyPolicy, verdict: Verdict): Fault {
  const categories = refusedCategories(policy, verdict);
  const { finding, outputFinding = finding } = explanationOf(categories);
  return new Fault(
    "unsafe_output",
    `The model's answer was stopped${categoryList(categories)}: it ${outputFinding}. Rephrase the request or choose another model.`,
    { categories, ...refusedSpans(categories, verdict) },
  );
}

/** The spans of the refused categories, if known. */
function refusedSpans(categories: readonly string[], { spans }: Verdict): Pick<FaultDetails, "spans"> {
  const refused = spans.filter(({ category }) => categories.includes(category));
  return refused.length === 0 ? {} : { spans: refused.map(({ category, start, end }) => ({ category, start, end })) };
}

/** The refused categories of a verdict, highest score first. */
export function refusedCategories(policy: SafetyPolicy, verdict: Verdict): SafetyCategory[] {
  const scoreOf = (category: SafetyCategory) => verdict.categories[category] ?? 0;
  return SAFETY_CATEGORIES.filter((category) => actionFor(policy, category, scoreOf(category)) === "refuse").sort(
    (a, b) => scoreOf(b) - scoreOf(a),
  );
}

function explanationOf(categories: readonly SafetyCategory[]): Explanation {
  const first = categories.find((category) => category !== "unsafe_intent") ?? categories[0];
  return first === undefined ? DEFAULT_EXPLANATION : EXPLANATIONS[first];
}

function categoryList(categories: readonly SafetyCategory[]): string {
  return categories.length === 0 ? "" : ` (${categories.join(", ")})`;
}
