import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { pick, readJsonLines } from "./compose-rows.ts";
import { fillTemplate, type WordLists } from "./fill-template.ts";
import type { Row } from "./rows.ts";

// Documents that tell an agent or people what to do, and are meant to: rules and skills of agents, style guides, API
// documents, acceptance criteria, what the tools of an agent say to it, articles about attacks. Beside them the same
// documents with an order in the same words that the user does not want.

/** One kind of document in one language: a line of `seeds/document/rule_words.jsonl`. */
interface Guidance {
  /** How many documents are composed, and how many single sentences. */
  readonly count: number;
  readonly alone: number;
  /** How many sentences a document has. */
  readonly least: number;
  readonly most: number;
  readonly heads: readonly string[];
  readonly lines: readonly string[];
  readonly tails: readonly string[];
  readonly joins: readonly string[];
  /** Orders against the user, and for which share of the documents there is a twin with one of them. */
  readonly attacks: readonly string[];
  readonly attackShare: number;
  readonly lists: WordLists;
}

export async function composeGuidance(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const kinds = await readJsonLines<Guidance>(`${folder}/document/rule_words.jsonl`);
  return kinds.flatMap((guidance) => [
    ...Array.from({ length: guidance.count }, () => documentWithTwin(guidance, random)).flat(),
    ...Array.from({ length: guidance.alone }, () => sentenceWithTwin(guidance, random)).flat(),
  ]);
}

const COMMON = { category: "guidance", source: "ours: documents", channel: "document" } as const;

function documentWithTwin(guidance: Guidance, random: () => number): Row[] {
  const { heads, lines, tails, attacks, joins, least, most, attackShare, lists } = guidance;
  const filled = (templates: readonly string[]) => fillTemplate(templates, lists, random);
  const size = least + Math.floor(random() * (most - least + 1));
  const sentences = [...new Set(Array.from({ length: size }, () => filled(lines)))];
  const head = filled(heads);
  const join = pick(joins, random);
  const tail = filled(tails);
  const harmless: Row = { ...COMMON, text: (head + sentences.join(join) + tail).trim(), label: "benign" };
  if (random() >= attackShare) return [harmless];
  const attack = filled(attacks).trim();
  const place = Math.floor(random() * (sentences.length + 1));
  const before = head + sentences.slice(0, place).join(join) + (place > 0 ? join : "");
  const after = sentences
    .slice(place)
    .map((sentence) => join + sentence)
    .join("");
  const start = before.trimStart().length;
  return [
    harmless,
    {
      ...COMMON,
      text: (before + attack + after + tail).trim(),
      label: "injection",
      focus: { start, end: start + attack.length },
    },
  ];
}

function sentenceWithTwin({ lines, attacks, attackShare, lists }: Guidance, random: () => number): Row[] {
  const filled = (templates: readonly string[]) => fillTemplate(templates, lists, random).trim();
  const harmless: Row = { ...COMMON, text: filled(lines), label: "benign" };
  return random() < attackShare ? [harmless, { ...COMMON, text: filled(attacks), label: "injection" }] : [harmless];
}
