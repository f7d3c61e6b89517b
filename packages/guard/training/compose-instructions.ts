import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { readJsonLines } from "./compose-rows.ts";
import { fillTemplate, type WordLists } from "./fill-template.ts";
import type { Row } from "./rows.ts";

// Requests about instructions. Most attacks name the instructions of the assistant, and few public texts name those of a
// recipe, a leaflet or a file. So both are composed, in the same words except for whose instructions they are.

/** One language: a line of `seeds/user/instructions.jsonl`. */
interface Grammar {
  /** How many harmless requests and how many attacks are composed. */
  readonly harmless: number;
  readonly attacks: number;
  /** Templates about instructions of everyday life, and in files of the user. `{name}` stands for one of a list. */
  readonly requests: readonly string[];
  /** Templates that ask for the assistant's own instructions. */
  readonly extractions: readonly string[];
  readonly lists: WordLists;
}

export async function composeInstructionRequests(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const grammars = await readJsonLines<Grammar>(`${folder}/user/instructions.jsonl`);
  return grammars.flatMap(({ requests, extractions, harmless, attacks, lists }) => {
    const rowsFrom = (templates: readonly string[], count: number, label: Row["label"], category: string) =>
      Array.from({ length: count }, (): Row => {
        const text = fillTemplate(templates, lists, random);
        return { text, label, category, source: "ours: requests", channel: "user" };
      });
    return [
      ...rowsFrom(requests, harmless, "benign", "structured"),
      ...rowsFrom(extractions, attacks, "injection", "prompt_extraction"),
    ];
  });
}
