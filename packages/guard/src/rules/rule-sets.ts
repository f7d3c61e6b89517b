import type { Channel } from "@trunkline/core/verdict.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import { DOCUMENT_INJECTION_RULES, INJECTION_RULES } from "./injection-rules.ts";
import { JAILBREAK_RULES } from "./jailbreak-rules.ts";
import { FOREIGN_ATTACK_RULES } from "./multilingual-injection-rules.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { type RuleBook, ruleBook } from "./rule-book.ts";

/** Which signs are looked for in whose words. A document attacks, but it asks for nothing. */
export const BOOKS: Readonly<Record<Channel, RuleBook>> = {
  user: ruleBook([
    ...INJECTION_RULES,
    ...FOREIGN_ATTACK_RULES,
    ...JAILBREAK_RULES,
    ...REQUEST_RULES,
    ...HATE_RULES,
  ]),
  document: ruleBook([...DOCUMENT_INJECTION_RULES, ...FOREIGN_ATTACK_RULES, ...JAILBREAK_RULES]),
  output: ruleBook([...ANSWER_RULES, ...HATE_RULES]),
};

/** The signs that are weighed beside the words of a text, each name once. */
export const WEIGHED_RULES: readonly string[] = [
  ...new Set(
    [
      ...INJECTION_RULES,
      ...DOCUMENT_INJECTION_RULES,
      ...FOREIGN_ATTACK_RULES,
      ...JAILBREAK_RULES,
      ...REQUEST_RULES,
      ...HATE_RULES,
    ].map(({ name }) => name),
  ),
];
