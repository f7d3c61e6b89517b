import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { readJsonLines } from "./compose-rows.ts";
import { fillTemplate, type WordLists } from "./fill-template.ts";
import type { Row } from "./rows.ts";

// Harmless roles in many languages, with the rules for their form that jailbreaks have too ("answer with nothing else"), and
// plain questions in languages in which most public texts are attacks or harmful.

/** One language: a line of `seeds/user/role_words.jsonl`. */
interface RoleGrammar {
  readonly count: number;
  readonly templates: readonly string[];
  readonly lists: WordLists;
}

export async function composeRoles(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const grammars = await readJsonLines<RoleGrammar>(`${folder}/user/role_words.jsonl`);
  return grammars.flatMap(({ count, templates, lists }) =>
    Array.from(
      { length: count },
      (): Row => ({
        text: fillTemplate(templates, lists, random).trim(),
        label: "benign",
        category: "roleplay",
        source: "ours: requests",
        channel: "user",
      }),
    ),
  );
}
