import type { Channel } from "@trunkline/core/verdict.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import { DOCUMENT_INJECTION_RULES, INJECTION_RULES } from "./injection-rules.ts";
import { JAILBREAK_RULES } from "./jailbreak-rules.ts";
import { MULTILINGUAL_INJECTION_RULES } from "./multilingual-injection-rules.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { createRuleMatcher, type RuleMatcher } from "./rule-matcher.ts";

/** Which signs are looked for in whose words. A document attacks, but it asks for nothing. */
export const RULE_MATCHERS: Readonly<Record<Channel, RuleMatcher>> = {
  user: createRuleMatcher([
    ...INJECTION_RULES,
    ...MULTILINGUAL_INJECTION_RULES,
    ...JAILBREAK_RULES,
    ...REQUEST_RULES,
    ...HATE_RULES,
  ]),
  document: createRuleMatcher([...DOCUMENT_INJECTION_RULES, ...MULTILINGUAL_INJECTION_RULES, ...JAILBREAK_RULES]),
  output: createRuleMatcher([...ANSWER_RULES, ...HATE_RULES]),
};

/** The signs that are weighed beside the words of a text, each name once. */
export const SCORED_RULE_NAMES: readonly string[] = [
  ...new Set(
    [
      ...INJECTION_RULES,
      ...DOCUMENT_INJECTION_RULES,
      ...MULTILINGUAL_INJECTION_RULES,
      ...JAILBREAK_RULES,
      ...REQUEST_RULES,
      ...HATE_RULES,
    ].map(({ name }) => name),
  ),
];
