import { CLASSES, type ClassName } from "../src/classifier/classes.ts";
import { HARM_IN_SCENARIO } from "./compose-rows.ts";
import type { Row } from "./rows.ts";

/** What a head should say to a text, and how much it counts. */
export interface TrainingTarget {
  readonly head: ClassName;
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
/** What our own requests are called, by the head that hears of them. */
const CLASS_BY_CATEGORY: Readonly<Record<string, ClassName>> = {
  weapons: "illicit",
  cyber: "illicit",
  privacy: "illicit",
  fraud: "illicit",
  crime: "illicit",
};

/** What is learnt from a row, head by head. A head that is not named learns nothing from it. */
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
    { head: "attack_user", wanted: 0, weight: channel === "document" ? 0.6 : 1 },
    { head: "attack_document", wanted: 0, weight: isDocument ? 1 : documentWeight(source) },
    { head: "jailbreak", wanted: 0, weight: channel === "output" ? 0 : channel === "document" ? 0.6 : 1 },
    { head: "unsafe", wanted: 0, weight: isPosted ? 0.3 : 1 },
    { head: "moderation", wanted: 0, weight: channel === "output" ? 1 : 0.5 },
    ...HARM_CLASSES.map((head): TrainingTarget => ({ head, wanted: 0, weight: channel === "output" ? 1 : 0.5 })),
  ];
}

/** A prompt in a document is an order to an assistant. Only questions and talk are met there as well. */
function documentWeight(source: string): number {
  if (/T0|natural-questions|dstc8|xquad/.test(source)) return 0.5;
  return 0;
}

function attackTargets({ label, category, source, channel }: Row): TrainingTarget[] {
  const isJailbreak = label === "jailbreak";
  if (source.includes("wildjailbreak")) return [{ head: "unsafe", wanted: 1, weight: 1 }];
  const kind: TrainingTarget = {
    head: "jailbreak",
    wanted: isJailbreak ? 1 : 0,
    weight: isJailbreak ? 1 : 0.2,
  };
  if (channel === "document") return [{ head: "attack_document", wanted: 1, weight: 1 }, kind];
  // Rows of disguised shell commands are many and all alike.
  const weight = /ADVERSARIAL|ENCODING|SMUGGLING/.test(category)
    ? 0.03
    : /TRAINING_EXTRACTION/.test(category)
      ? 0.2
      : 1;
  return [
    // Jailbreaks have a head of their own. Here they would only teach that scenes and characters are attacks.
    { head: "attack_user", wanted: 1, weight: isJailbreak ? 0.12 * weight : weight },
    { head: "attack_document", wanted: 1, weight: isJailbreak ? 0.1 : 0.3 * weight },
    { ...kind, weight: kind.weight * weight },
    // What is wanted behind the scene is unsafe by itself.
    ...(category === HARM_IN_SCENARIO ? [{ head: "unsafe", wanted: 1, weight: 1 } as const] : []),
  ];
}

function unsafeTargets({ category }: Row): TrainingTarget[] {
  const kind = harmClassOf(category);
  return [
    { head: "unsafe", wanted: 1, weight: 1 },
    { head: "attack_user", wanted: 0, weight: 0.25 },
    ...(kind === undefined ? [] : harmTargets(kind, 1)),
  ];
}

function moderationTargets({ category }: Row): TrainingTarget[] {
  if (category === "harmful_compliance") return [{ head: "illicit", wanted: 1, weight: 1 }];
  const kind = harmClassOf(category);
  return [
    { head: "moderation", wanted: 1, weight: 1 },
    { head: "attack_user", wanted: 0, weight: 0.3 },
    { head: "attack_document", wanted: 0, weight: 0.3 },
    ...(kind === undefined ? [] : harmTargets(kind, 1)),
  ];
}

function harmTargets(kind: ClassName, weight: number): TrainingTarget[] {
  // Kinds overlap, so that one of them is only a weak sign against the others.
  return HARM_CLASSES.map((head) =>
    head === kind ? { head, wanted: 1, weight } : { head, wanted: 0, weight: 0.4 * weight },
  );
}

function harmClassOf(category: string): ClassName | undefined {
  const name = category.split(/[/:]/)[0] ?? "";
  const mapped = CLASS_BY_CATEGORY[name];
  if (mapped !== undefined) return mapped;
  return CLASSES.find((head) => head === name && HARM_CLASSES.includes(head));
}
