import { stemOf } from "./terms.ts";

/** What people call a thing, and what the documentation calls it. */
const SYNONYMS: readonly (readonly [string, string])[] = [
  ["install setup begin launch boot", "start run quick"],
  ["price pricing expensive cheap fee charge bill", "cost price credits"],
  ["cost", "price credits"],
  ["pay payment money fund deposit topup", "balance credits funding"],
  ["login signin auth authentication authorization authenticate", "key authenticate bearer"],
  ["api", "request endpoint"],
  ["apikey secret credential", "key"],
  ["fail failure problem wrong broken crash", "error"],
  ["throttle quota", "limit rate"],
  ["picture photo draw drawing", "image"],
  ["sound speech speak speaking talk tts", "audio voice"],
  ["llm llms", "model"],
  ["register registration", "add provider register registration"],
  ["add", "register"],
  ["config configuration option options", "configure setting variable"],
  ["env environment", "variable environment"],
  ["fallback backup", "failover fallback backup"],
  ["failover", "fallback backup"],
  ["router", "routing route"],
  ["moderation jailbreak injection", "safety"],
  ["database db storage", "store postgresql data"],
  ["remove", "delete revoke"],
  ["cancel abort", "stop hang"],
  ["node requirements prerequisites", "node requirements needs"],
  ["self-host selfhost hosting deployment", "deploy run docker"],
  ["chatgpt gpt", "openai"],
  ["claude", "anthropic"],
  ["wallet crypto", "token deposit wallet"],
];

const BY_STEM = new Map<string, Set<string>>();
for (const [said, meant] of SYNONYMS) {
  for (const word of said.split(" ").map(stemOf)) {
    const related = BY_STEM.get(word) ?? new Set<string>();
    for (const other of meant.split(" ").map(stemOf)) {
      if (other !== word) related.add(other);
    }
    BY_STEM.set(word, related);
  }
}

/** Terms that may stand for this one in the documentation. They count for less than the term itself. */
export function relatedTermsOf(term: string): ReadonlySet<string> {
  return BY_STEM.get(term) ?? new Set();
}
