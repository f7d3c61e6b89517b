import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { readJsonLines } from "./compose-rows.ts";
import { fillTemplate, type WordLists } from "./fill-template.ts";
import type { Row } from "./rows.ts";

// Rules of users for the form of answers, wishes to leave out something of what they wrote, and questions that quote an
// attack: most texts with these words are attacks. Beside them attacks in the same words.

/** One language: a line of `seeds/user/rule_words.jsonl`. */
interface RuleGrammar {
  /** How many harmless requests and how many attacks are composed. */
  readonly harmless: number;
  readonly attacks: number;
  readonly requests: readonly string[];
  readonly attackRequests: readonly string[];
  readonly lists: WordLists;
}

export async function composeRuleRequests(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const grammars = await readJsonLines<RuleGrammar>(`${folder}/user/rule_words.jsonl`);
  return grammars.flatMap(({ requests, attackRequests, harmless, attacks, lists }) => {
    const rowsFrom = (templates: readonly string[], count: number, label: Row["label"], category: string) =>
      Array.from({ length: count }, (): Row => {
        const text = fillTemplate(templates, lists, random).trim();
        return { text, label, category, source: "ours: requests", channel: "user" };
      });
    return [
      ...rowsFrom(requests, harmless, "benign", "contrast_trigger"),
      ...rowsFrom(attackRequests, attacks, "injection", "override"),
    ];
  });
}
