import { anyOf, buildPattern, type Rule, splitList } from "./rule-matcher.ts";

const raw = String.raw;

/** Limits that only a model has, and limits that tariffs and lives have too. */
const SCRUPLES = anyOf(
  raw`censorship|morals?|ethics|ethical|moral|content polic(?:y|ies)|safeguards|guardrails|content filters?`,
  raw`(?:safety|ethical|moral|content) (?:guidelines|restrictions|filters?|rules|protocols|constraints|limitations|boundaries|polic(?:y|ies))`,
);
const RULES = raw`(?:guidelines|rules|restrictions|limitations|constraints|filters?)`;
const WITHOUT = raw`(?:have no|has no|had no|no|not have any|don't have any|ignores? (?:all|any)|without(?: any)?|free (?:of|from)(?: all| any)?|not (?:be )?(?:bound|restricted|limited|constrained) (?:by|to)|unbound by|exempt from|lacks?(?: any)?)`;
const FEW_WORDS = raw`(?:\w{1,12},? ){0,3}`;
const LIMIT_ANCHORS = splitList(
  "censorship, moral, ethic, content polic, content filter, safeguards, guardrails, safety , guidelines, rules, restrictions, limitations, constraints, filter",
);

/** Attempts to talk the model out of its own limits. */
export const JAILBREAK_RULES: readonly Rule[] = [
  {
    name: "do-anything-now",
    categories: ["jailbreak"],
    weight: 0.85,
    anchors: splitList("do anything now"),
    pattern: buildPattern(raw`(?:\b(?:can|will|stands for|means|to|as|being|is)\W{1,4}|["(])do anything now\b`),
    quotable: true,
  },
  {
    name: "be-dan",
    categories: ["jailbreak"],
    weight: 0.6,
    anchors: splitList("dan"),
    pattern: buildPattern(
      raw`\b(?:you are(?: now| going to be)|act(?:ing)? as|pretend to be|become|respond as|answer as|stay (?:a|as)) (?:an? )?["'(]?dan\b`,
    ),
    quotable: true,
  },
  {
    name: "unlocked-mode",
    categories: ["jailbreak"],
    weight: 0.8,
    anchors: splitList(
      "developer mode, dev mode, god mode, jailbreak mode, jailbroken mode, sudo mode, unrestricted mode, unfiltered mode, dan mode, opposite mode, evil mode",
    ),
    pattern: buildPattern(
      raw`\b(?:you (?:are|'re|have|will be|entered|must)|chatgpt|gpt|act|respond|answer|simulate|as an ai|entering|(?:your|its) responses?)\b[^.!?]{0,40}\b(?:developer|dev|god|jailbreak|jailbroken|sudo|unrestricted|unfiltered|dan|opposite|evil) mode\b`,
      raw`|\b(?:jailbreak|sudo|unrestricted|unfiltered|dan|evil) mode (?:is |now )?(?:enabled|activated|on|engaged|unlocked)\b`,
      raw`|\bdeveloper mode (?:output|v2|enabled\W{0,3}(?:you|chatgpt|gpt))`,
    ),
    quotable: true,
  },
  {
    name: "you-have-no-scruples",
    categories: ["jailbreak"],
    weight: 0.82,
    anchors: LIMIT_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:you|your|chatgpt|gpt|ai|assistant|model|chatbot|dan)(?:'re| are| is)?\s(?:now |will |can |must |should |has |have |do |does |responses? ){0,2}`,
      WITHOUT,
      raw`\s`,
      FEW_WORDS,
      SCRUPLES,
      raw`\b`,
    ),
    quotable: true,
  },
  {
    name: "pretend-no-rules",
    categories: ["jailbreak"],
    weight: 0.82,
    anchors: LIMIT_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:pretend|imagine|act|respond|answer|behave|speak|talk|roleplay|role-play|simulate|suppose|operate)\b[^.!?]{0,12}\b(?:you|to be|that|like|as|with(?:out)?)\b[^.!?]{0,40}`,
      anyOf(WITHOUT, raw`without(?: any)?|ignor(?:e|es|ing)`),
      raw`\s`,
      FEW_WORDS,
      anyOf(RULES, SCRUPLES),
      raw`\b`,
    ),
    quotable: true,
  },
  {
    name: "no-rules-for-somebody",
    categories: ["jailbreak"],
    weight: 0.5,
    anchors: LIMIT_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:you|it|he|she|they|who|and|that|which)(?:'re| are| is)?\s(?:now |will |can |must |should |has |have |do |does ){0,2}`,
      WITHOUT,
      raw`\s`,
      FEW_WORDS,
      anyOf(RULES, SCRUPLES),
      raw`\b`,
    ),
    quotable: true,
  },
  {
    name: "whatever-the-harm",
    categories: ["jailbreak"],
    weight: 0.6,
    anchors: splitList("illegal, unethical, immoral, harmful, offensive, ethic, moral, legality, law"),
    pattern: buildPattern(
      raw`\b(?:even if|no matter (?:how|if|what)|regardless of|whether or not|does(?: not|n't) care about|do(?: not|n't) care about|without (?:regard|concern) (?:to|for|of))\b[^.!?]{0,40}\b(?:illegal|unethical|immoral|harmful|offensive|inappropriate|ethics?|ethical|morals?|morality|legality|laws?)\b`,
    ),
    quotable: true,
  },
  {
    name: "unfiltered-persona",
    categories: ["jailbreak"],
    weight: 0.6,
    anchors: splitList(
      "unfiltered, uncensored, unrestricted, amoral, immoral, unethical, limitless, unlimited, unhinged, jailbroken",
    ),
    pattern: buildPattern(
      raw`\b(?:unfiltered|uncensored|unrestricted|amoral|immoral|unethical|limitless|jailbroken|unhinged|entirely unlimited|completely unlimited)(?:,? (?:and )?\w{1,14}){0,2}\s`,
      raw`(?:ai|a\.i\.|llm|gpt|chatgpt|assistant|chatbot|bot|language model|persona|character|version|entity|being|responses?|answers?|advice)\b`,
      raw`|\b(?:responses?|answers?|you) (?:will |must |should |are |be ){1,2}(?:completely |totally )?(?:unfiltered|uncensored|unrestricted|amoral)\b`,
    ),
    quotable: true,
  },
  {
    name: "never-refuse",
    categories: ["jailbreak"],
    weight: 0.6,
    anchors: splitList(
      "refus, declin, reject, deny, apologi, i can't, i cannot, sorry, comply, complies, warning, disclaimer, morali",
    ),
    pattern: buildPattern(
      raw`\b(?:(?:must|can|will|should|shall|may) (?:not|never)|cannot|can't|won't|never|don't ever|not allowed to|not able to)\s(?:ever )?(?:refus(?:e|es|ing)|declin(?:e|es|ing)|reject(?:s|ing)?|deny|den(?:ies|ying)|apologi[sz]e|morali[sz]e|say (?:that )?["'\x60]?(?:i can't|i cannot|sorry|i'm sorry))\b`,
      raw`|\b(?:without|not (?:include|add|issue|give) any)\s(?:\w{1,12} ){0,2}(?:warnings?|disclaimers?|refusals?)\b|\balways compl(?:y|ies)\b`,
    ),
  },
  {
    name: "vendor-rules",
    categories: ["jailbreak"],
    weight: 0.55,
    anchors: splitList("openai, anthropic"),
    pattern: buildPattern(
      raw`\b(?:bypass|ignor|disregard|violat|break|against|bound by|free from|outside of|circumvent|not follow)\w{0,3}\s[^.!?]{0,24}\b(?:openai|anthropic)(?:'s)?\s(?:\w{1,12} ){0,3}(?:polic(?:y|ies)|guidelines|rules|restrictions|terms|limitations|content)\b`,
    ),
  },
  {
    name: "two-answers",
    categories: ["jailbreak"],
    weight: 0.6,
    anchors: splitList(
      "two responses, two different, two separate, two distinct, two answers, two ways, developer mode, jailbr, dan, classic, gpt",
    ),
    pattern: buildPattern(
      raw`\b(?:provide|give|generate|produce|answer|respond|reply)\b[^.!?]{0,30}\btwo (?:different |separate |distinct )?(?:responses|answers|ways)\b[^!?]{0,80}\b(?:gpt|dan|normal|filter|jailbr|classic|standard)`,
      raw`|[\[(]\W{0,3}(?:jailbreak|jailbroken|dan|classic|gpt|developer mode)(?: output)?\W{0,2}[\])]`,
    ),
  },
  {
    // Shared templates have a placeholder for the question.
    name: "template-hole",
    categories: ["jailbreak"],
    weight: 0.5,
    anchors: splitList("insert, prompt here, question here, request here"),
    pattern: buildPattern(
      raw`[\[{<("']{1,2}\s?(?:insert |enter |type |your |put ){1,3}(?:\w{1,12} )?(?:prompt|question|request|inquiry)(?: here)?\s?[\]}>)"']`,
    ),
  },
  {
    name: "stay-in-character",
    categories: ["jailbreak"],
    weight: 0.45,
    anchors: splitList("character, stay a"),
    pattern: buildPattern(
      raw`\b(?:stay|remain) in character\b|\b(?:never|not|don't) break character\b|\bstay (?:a |as )dan\b`,
    ),
  },
  {
    name: "from-now-on",
    categories: ["jailbreak"],
    weight: 0.35,
    anchors: splitList("from now on, henceforth, from this point, immerse yourself, for the rest of"),
    pattern: buildPattern(
      raw`\b(?:from now on|henceforth|from this point(?: on| forward)?)\b[^.!?]{0,12}\b(?:you|chatgpt|gpt)\b|\bimmerse yourself into the role\b|\bfor the rest of (?:this|our) (?:conversation|chat)\b`,
    ),
  },
  {
    name: "address-a-chatbot",
    categories: ["jailbreak"],
    weight: 0.3,
    anchors: splitList("chatgpt, chat gpt"),
    pattern: buildPattern(
      raw`(?:^|\n)\s?(?:hello|hi|hey|dear|ignore)?,? ?chat ?gpt\b|\bchat ?gpt\b[^.!?]{0,40}\b(?:pretend|role ?-?play|act as|simulate|persona)\b`,
    ),
  },
];
