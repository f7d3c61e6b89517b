import type { Guard } from "../policy/guard.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";

/**
 * A provider's own words on its failure, as the client and the record of the request may have them: private values and
 * secrets are masked under every policy, as they help nobody to mend a request. Undefined: the policy refuses the words,
 * as an answer or as a request that they repeat.
 */
export function screenProviderWords(guard: Guard, words: string): string | undefined {
  if (guard.evaluate(words, "output").action === "refuse") return undefined;
  if (guard.evaluate(words, "application").action === "refuse") return undefined;
  let masked = "";
  let read = 0;
  for (const { kind, category, start, end } of findPrivateData(words)) {
    if (start < read) continue;
    masked += `${words.slice(read, start)}[${kind ?? category}]`;
    read = end;
  }
  return masked + words.slice(read);
}
