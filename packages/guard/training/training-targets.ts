import { CLASSES, type ClassName } from "../src/classifier/classes.ts";
import { HARM_IN_SCENARIO } from "./compose-rows.ts";
import type { Row } from "./rows.ts";

/** What a class should predict for a text, and the weight of that. */
export interface TrainingTarget {
  readonly className: ClassName;
  readonly wanted: 0 | 1;
  readonly weight: number;
}

const HARM_CLASSES: readonly ClassName[] = [
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
  "illicit",
];
/** The class for each category of our own requests. */
const CLASS_BY_CATEGORY: Readonly<Record<string, ClassName>> = {
  weapons: "illicit",
  cyber: "illicit",
  privacy: "illicit",
  fraud: "illicit",
  crime: "illicit",
};

/** The targets of a row by class. Classes without a target learn nothing from it. */
export function targetsForRow(row: Row): TrainingTarget[] {
  switch (row.label) {
    case "benign":
      return benignTargets(row);
    case "injection":
    case "jailbreak":
      return attackTargets(row);
    case "unsafe":
      return row.channel === "output" ? moderationTargets(row) : unsafeTargets(row);
  }
}

function benignTargets({ channel, category, source }: Row): TrainingTarget[] {
  const isPosted = channel === "output" && !/assistant_reply|refusal/.test(category);
  const isDocument = channel === "document" || channel === "output";
  return [
    { className: "attack_user", wanted: 0, weight: channel === "document" ? 0.6 : 1 },
    { className: "attack_document", wanted: 0, weight: isDocument ? 1 : documentWeight(source) },
    { className: "jailbreak", wanted: 0, weight: channel === "output" ? 0 : channel === "document" ? 0.6 : 1 },
    { className: "unsafe", wanted: 0, weight: isPosted ? 0.3 : 1 },
    { className: "moderation", wanted: 0, weight: channel === "output" ? 1 : 0.5 },
    ...HARM_CLASSES.map(
      (className): TrainingTarget => ({ className, wanted: 0, weight: channel === "output" ? 1 : 0.5 }),
    ),
  ];
}

/** A prompt in a document is an instruction to an assistant. Only questions and conversation occur there as well. */
function documentWeight(source: string): number {
  if (/T0|natural-questions|dstc8|xquad/.test(source)) return 0.5;
  return 0;
}

function attackTargets({ label, category, source, channel }: Row): TrainingTarget[] {
  const isJailbreak = label === "jailbreak";
  if (source.includes("wildjailbreak")) return [{ className: "unsafe", wanted: 1, weight: 1 }];
  // A few wishes in many wrappings: the wishes would be learnt, and some are harmless. These texts are only measured.
  if (category === "direct_order") return [];
  const kind: TrainingTarget = {
    className: "jailbreak",
    wanted: isJailbreak ? 1 : 0,
    weight: isJailbreak ? 1 : 0.2,
  };
  if (channel === "document") return [{ className: "attack_document", wanted: 1, weight: 1 }, kind];
  // Rows of disguised shell commands are many and alike.
  const weight = /ADVERSARIAL|ENCODING|SMUGGLING/.test(category)
    ? 0.03
    : /TRAINING_EXTRACTION/.test(category)
      ? 0.2
      : 1;
  return [
    // Jailbreaks have a class of their own. Here they would only teach that scenarios and personas are attacks.
    { className: "attack_user", wanted: 1, weight: isJailbreak ? 0.12 * weight : weight },
    { className: "attack_document", wanted: 1, weight: isJailbreak ? 0.1 : 0.3 * weight },
    { ...kind, weight: kind.weight * weight },
    // The goal behind the scenario is unsafe by itself.
    ...(category === HARM_IN_SCENARIO ? [{ className: "unsafe", wanted: 1, weight: 1 } as const] : []),
  ];
}

function unsafeTargets({ category }: Row): TrainingTarget[] {
  const kind = harmClassOf(category);
  return [
    { className: "unsafe", wanted: 1, weight: 1 },
    { className: "attack_user", wanted: 0, weight: 0.25 },
    ...(kind === undefined ? [] : harmTargets(kind, 1)),
  ];
}

function moderationTargets({ category }: Row): TrainingTarget[] {
  if (category === "harmful_compliance") return [{ className: "illicit", wanted: 1, weight: 1 }];
  const kind = harmClassOf(category);
  return [
    { className: "moderation", wanted: 1, weight: 1 },
    { className: "attack_user", wanted: 0, weight: 0.3 },
    { className: "attack_document", wanted: 0, weight: 0.3 },
    ...(kind === undefined ? [] : harmTargets(kind, 1)),
  ];
}

function harmTargets(kind: ClassName, weight: number): TrainingTarget[] {
  // Harm categories overlap, so one is only weak evidence against the others.
  return HARM_CLASSES.map((className) =>
    className === kind ? { className, wanted: 1, weight } : { className, wanted: 0, weight: 0.4 * weight },
  );
}

function harmClassOf(category: string): ClassName | undefined {
  const name = category.split(/[/:]/)[0] ?? "";
  const mapped = CLASS_BY_CATEGORY[name];
  if (mapped !== undefined) return mapped;
  return CLASSES.find((className) => className === name && HARM_CLASSES.includes(className));
}
