import { HEADS, type Head } from "../src/classifier/heads.ts";
import { HARM_IN_SCENE } from "./compose-scenes.ts";
import type { Row } from "./rows.ts";

/** What a head should say to a text, and how much it counts. */
export interface Aim {
  readonly head: Head;
  readonly wanted: 0 | 1;
  readonly weight: number;
}

const KINDS: readonly Head[] = [
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
  "illicit",
];
/** What our own requests are called, by the head that hears of them. */
const KIND_OF: Readonly<Record<string, Head>> = {
  weapons: "illicit",
  cyber: "illicit",
  privacy: "illicit",
  fraud: "illicit",
  crime: "illicit",
};

/** What is learnt from a row, head by head. A head that is not named learns nothing from it. */
export function aimsOf(row: Row): Aim[] {
  switch (row.label) {
    case "benign":
      return benign(row);
    case "injection":
    case "jailbreak":
      return attack(row);
    case "unsafe":
      return row.channel === "output" ? moderated(row) : unsafe(row);
  }
}

function benign({ channel, category, source }: Row): Aim[] {
  const isPosted = channel === "output" && !/assistant_reply|refusal/.test(category);
  const isDocument = channel === "document" || channel === "output";
  return [
    { head: "attack_user", wanted: 0, weight: channel === "document" ? 0.6 : 1 },
    { head: "attack_document", wanted: 0, weight: isDocument ? 1 : documentWeight(source) },
    { head: "jailbreak", wanted: 0, weight: channel === "output" ? 0 : channel === "document" ? 0.6 : 1 },
    { head: "unsafe", wanted: 0, weight: isPosted ? 0.3 : 1 },
    { head: "moderation", wanted: 0, weight: channel === "output" ? 1 : 0.5 },
    ...KINDS.map((head): Aim => ({ head, wanted: 0, weight: channel === "output" ? 1 : 0.5 })),
  ];
}

/** A prompt in a document is an order to an assistant. Only questions and talk are met there as well. */
function documentWeight(source: string): number {
  if (/T0|natural-questions|dstc8|xquad/.test(source)) return 0.5;
  return 0;
}

function attack({ label, category, source, channel }: Row): Aim[] {
  const isJailbreak = label === "jailbreak";
  if (source.includes("wildjailbreak")) return [{ head: "unsafe", wanted: 1, weight: 1 }];
  const kind: Aim = { head: "jailbreak", wanted: isJailbreak ? 1 : 0, weight: isJailbreak ? 1 : 0.2 };
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
    ...(category === HARM_IN_SCENE ? [{ head: "unsafe", wanted: 1, weight: 1 } as const] : []),
  ];
}

function unsafe({ category }: Row): Aim[] {
  const kind = kindOf(category);
  return [
    { head: "unsafe", wanted: 1, weight: 1 },
    { head: "attack_user", wanted: 0, weight: 0.25 },
    ...(kind === undefined ? [] : kindAims(kind, 1)),
  ];
}

function moderated({ category }: Row): Aim[] {
  if (category === "harmful_compliance") return [{ head: "illicit", wanted: 1, weight: 1 }];
  const kind = kindOf(category);
  return [
    { head: "moderation", wanted: 1, weight: 1 },
    { head: "attack_user", wanted: 0, weight: 0.3 },
    { head: "attack_document", wanted: 0, weight: 0.3 },
    ...(kind === undefined ? [] : kindAims(kind, 1)),
  ];
}

function kindAims(kind: Head, weight: number): Aim[] {
  // Kinds overlap, so that one of them is only a weak sign against the others.
  return KINDS.map((head) =>
    head === kind ? { head, wanted: 1, weight } : { head, wanted: 0, weight: 0.4 * weight },
  );
}

function kindOf(category: string): Head | undefined {
  const name = category.split(/[/:]/)[0] ?? "";
  const mapped = KIND_OF[name];
  if (mapped !== undefined) return mapped;
  return HEADS.find((head) => head === name && KINDS.includes(head));
}
