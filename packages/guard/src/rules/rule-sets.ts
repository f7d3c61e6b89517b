import type { Channel } from "@trunkline/core/verdict.ts";
import { ANSWER_RULES } from "./answer-rules.ts";
import { HARM_BY_LANGUAGE_RULES } from "./harm-by-language-rules.ts";
import { HATE_RULES } from "./hate-rules.ts";
import { DOCUMENT_INJECTION_RULES, INJECTION_RULES } from "./injection-rules.ts";
import { JAILBREAK_RULES } from "./jailbreak-rules.ts";
import { MULTILINGUAL_INJECTION_RULES } from "./multilingual-injection-rules.ts";
import { MULTILINGUAL_REQUEST_RULES } from "./multilingual-request-rules.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { createRuleMatcher, type RuleMatcher } from "./rule-matcher.ts";

/** The rules for each channel. A document may contain an attack, but makes no requests. */
export const RULE_MATCHERS: Readonly<Record<Channel, RuleMatcher>> = {
  user: createRuleMatcher([
    ...INJECTION_RULES,
    ...MULTILINGUAL_INJECTION_RULES,
    ...JAILBREAK_RULES,
    ...REQUEST_RULES,
    ...MULTILINGUAL_REQUEST_RULES,
    ...HARM_BY_LANGUAGE_RULES,
    ...HATE_RULES,
  ]),
  application: createRuleMatcher([
    ...REQUEST_RULES,
    ...MULTILINGUAL_REQUEST_RULES,
    ...HARM_BY_LANGUAGE_RULES,
    ...HATE_RULES,
  ]),
  document: createRuleMatcher([...DOCUMENT_INJECTION_RULES, ...MULTILINGUAL_INJECTION_RULES, ...JAILBREAK_RULES]),
  output: createRuleMatcher([...ANSWER_RULES, ...HATE_RULES]),
};

/** The names of the rules that are features of the model, each once. */
export const SCORED_RULE_NAMES: readonly string[] = [
  ...new Set(
    [
      ...INJECTION_RULES,
      ...DOCUMENT_INJECTION_RULES,
      ...MULTILINGUAL_INJECTION_RULES,
      ...JAILBREAK_RULES,
      ...REQUEST_RULES,
      ...MULTILINGUAL_REQUEST_RULES,
      ...HATE_RULES,
    ].map(({ name }) => name),
  ),
];
