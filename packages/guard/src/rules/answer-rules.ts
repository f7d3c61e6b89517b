import { anyOf, buildPattern, patternEndingIn, type Rule, splitList } from "./rule-matcher.ts";
import {
  DRUG_ANCHORS,
  KILL_ANCHORS,
  KILL_PERSON,
  KILL_YOURSELF,
  MAKE_DRUG,
  MAKE_WEAPON,
  MALWARE,
  MALWARE_ANCHORS,
  WEAPON_ANCHORS,
  WEAPON_RECIPE,
} from "./unsafe-phrases.ts";

const raw = String.raw;

/** Steps alone are reported: an article about crime and a film have them too. */
const STEPS_WEIGHT = 0.65;
const SUICIDE_ANCHORS = splitList("yourself, suicide, your life, your own life, your wrists");
/** A model that declines, or reports crimes, uses the same nouns. */
const REFUSED_OR_REPORTED =
  /\b(?:can't|cannot|can not|won't|unable|not|never|don't|refuse|without|against|why|illegal|sorry|decline|avoid|prevent|such as|examples|prompts|queries|requests?|ask(?:s|ed|ing)|arrested|convicted|accused)\b[^.!?:\n]{0,60}$/;
const AGREED = /\b(?:sure|certainly|of course|absolutely|here(?:'s| is| are))\b[^.!?:\n]{0,60}$/;
/**
 * What follows an act that is being explained. Only text before the end of the match counts, so that a growing answer
 * is never misjudged.
 */
const INSTRUCTION_FOLLOWS = raw`,? (?:you(?:'ll| will)? (?:need|first|start|begin|must)|start by|begin by|first|follow these|gather|simply (?:mix|take|fill))\b`;
const INSTRUCTION_HEADING = anyOf(
  raw`\s?:|\s(?:at home|step by step|safely|yourself|in (?:your|\d{1,2})[^.!?:\n]{0,12})\s?[:.,]`,
  raw`\W{0,4}\n\W{0,4}(?:1\b|materials|ingredients|step|you(?:'ll| will) need)`,
);
const HOW_TO = patternEndingIn(
  raw`\b(?:how (?:to|you(?: can)?)|(?:step|instruction|guide|recipe|tutorial)s? (?:to|for|on)) `,
);
const IN_ORDER_TO = patternEndingIn(raw`\b(?:to|for|on) `);
const CLAUSE_END = raw`(?:\s?[:.,;!]|\s(?:at home|using|with|from|out of|yourself)\b)`;

/**
 * The ways in which an answer shows that it gives instructions: by how it continues, or by having agreed to give them.
 */
function explanationRules(act: string, rule: Pick<Rule, "name" | "categories" | "anchors">): Rule[] {
  const common = { ...rule, weight: 0.92, exceptAfter: REFUSED_OR_REPORTED };
  return [
    {
      ...common,
      name: `explain-${rule.name}`,
      leadIn: HOW_TO,
      pattern: buildPattern(raw`\b`, act, anyOf(INSTRUCTION_HEADING, INSTRUCTION_FOLLOWS)),
    },
    {
      ...common,
      name: `start-explaining-${rule.name}`,
      leadIn: IN_ORDER_TO,
      pattern: buildPattern(raw`\b`, act, INSTRUCTION_FOLLOWS),
    },
    {
      ...common,
      name: `agree-to-explain-${rule.name}`,
      leadIn: patternEndingIn(HOW_TO.source, IN_ORDER_TO.source),
      pattern: buildPattern(raw`\b`, act, CLAUSE_END),
      onlyAfter: AGREED,
    },
  ];
}

/**
 * What a model should not say. An answer is screened while it grows, so no rule depends on what comes after the match,
 * and the matches are short enough to be held back completely.
 */
export const ANSWER_RULES: readonly Rule[] = [
  ...explanationRules(MAKE_WEAPON, {
    name: "weapon",
    categories: ["violence", "illicit"],
    anchors: WEAPON_ANCHORS,
  }),
  ...explanationRules(MAKE_DRUG, { name: "drug-synthesis", categories: ["illicit"], anchors: DRUG_ANCHORS }),
  ...explanationRules(`${KILL_PERSON}(?: without getting caught| and get away with it)?`, {
    name: "killing",
    categories: ["violence"],
    anchors: KILL_ANCHORS,
  }),
  ...explanationRules(KILL_YOURSELF, {
    name: "suicide",
    categories: ["self_harm"],
    anchors: SUICIDE_ANCHORS,
  }),
  {
    name: "weapon-recipe",
    categories: ["violence", "illicit"],
    weight: 0.92,
    anchors: WEAPON_ANCHORS,
    pattern: buildPattern(raw`\b`, WEAPON_RECIPE, raw`\s?:`),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "suicide-method",
    categories: ["self_harm"],
    weight: 0.92,
    anchors: [...SUICIDE_ANCHORS, "die "],
    pattern: buildPattern(
      raw`\b(?:painless|painful|easiest|best|quickest|fastest|effective) (?:way|method) (?:to|of|for) (?:`,
      KILL_YOURSELF,
      raw`|die\b) is\b|\bif you (?:really )?want to `,
      KILL_YOURSELF,
      raw`,? (?:here's how|here is how|just|simply|go to|jump|take an?)\b`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "urge-suicide",
    categories: ["self_harm", "harassment"],
    weight: 0.92,
    anchors: SUICIDE_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:you should|you must|you need to|you ought to|just|go ahead and|go|please|why don't you)\s(?:just |go (?:ahead )?and |simply )?`,
      KILL_YOURSELF,
    ),
  },
  {
    name: "explain-charge-assembly",
    categories: ["violence", "illicit"],
    weight: 0.8,
    anchors: splitList(
      "gunpowder, black powder, ammonium nitrate, potassium nitrate, flash powder, tatp, shrapnel, explosive",
    ),
    pattern: buildPattern(
      raw`\b(?:mix|combine|pack|fill|pour|add|insert)\b[^.!?]{0,24}\b(?:gunpowder|black powder|ammonium nitrate|potassium nitrate|flash powder|tatp|shrapnel|explosives?)\b[^!?]{0,60}\b(?:fuse|detonator|blasting cap|igniter|end caps?|wick)\b`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "sexualise-a-minor",
    categories: ["sexual_minors"],
    weight: 0.9,
    anchors: splitList(
      "year-old, year old, years old, underage, preteen, pre-teen, little girl, little boy, schoolgirl, schoolboy, toddler",
    ),
    pattern: buildPattern(
      raw`\b(?:(?:[4-9]|1[0-7])[- ]years?[- ]old|underage|pre-?teen|little (?:girl|boy)|school(?:girl|boy)|toddler)\b[^.!?]{0,24}\b(?:moan(?:ed|s|ing)|naked body|bare breasts|genitals|aroused|orgasm(?:s|ed)?|penis|cock|pussy|vagina|erotic|seductively|thrust(?:s|ed|ing)?)\b`,
    ),
  },
  {
    name: "urge-overdose",
    categories: ["self_harm"],
    weight: STEPS_WEIGHT,
    anchors: splitList("pills, tablets, meds"),
    pattern: buildPattern(
      raw`\b(?:take|swallow|down) (?:all (?:of )?(?:the|your|those|these)?|the whole (?:pack|bottle|box) of)\s?(?:your |the )?(?:sleeping )?(?:pills|tablets|meds)\b[^.!?]{0,12}\b(?:at once|tonight|together|in one go)\b`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "explain-spying",
    categories: ["illicit"],
    weight: STEPS_WEIGHT,
    anchors: splitList("spy, spyware, tracking app, tracker app, stalkerware, keylogger, monitoring app"),
    pattern: buildPattern(
      raw`\b(?:install|put|hide|set up) (?:the |an? )?(?:hidden )?(?:spy(?:ing)? ?(?:app|software)|spyware|track(?:ing|er) app|stalkerware|keylogger|monitoring app)\b[^.!?]{0,32}\b(?:while (?:s?he|they) (?:sleep|shower)|without (?:her|his|their)|(?:her|his) (?:phone|mobile|messages))`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "explain-phishing",
    categories: ["illicit"],
    weight: STEPS_WEIGHT,
    anchors: splitList("bank, paypal, login"),
    pattern: buildPattern(
      raw`\b(?:set up|build|make|create) (?:an? |the |your )?(?:fake )?(?:page|site|website|login page|form) (?:that |which )?looks? (?:just |exactly )?like (?:the |that of |an? )?(?:real )?(?:bank|paypal|login)\b`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "explain-laundering",
    categories: ["illicit"],
    weight: STEPS_WEIGHT,
    anchors: ["launder"],
    pattern: buildPattern(
      raw`\bto launder (?:the |your |this |dirty )?(?:money|cash),? (?:you (?:can |should )?|first |simply )?(?:pay|put|deposit|book|open|buy|split|run|move)\b`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "explain-pipe-filling",
    categories: ["violence", "illicit"],
    weight: STEPS_WEIGHT,
    anchors: splitList("fuse, detonator, igniter"),
    pattern: buildPattern(
      raw`\b(?:pack|fill|pour|press)\b[^.!?]{0,24}\b(?:pipe|jar|bottle|canister)\b[^.!?]{0,24}\b(?:fuse|detonator|igniter)\b`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
  {
    name: "hand-over-malware",
    categories: ["illicit"],
    weight: 0.7,
    anchors: MALWARE_ANCHORS,
    pattern: buildPattern(
      raw`\bhere(?:'s| is| are)\s(?:the |an? |some |your )?(?:\w{2,14} ){0,3}`,
      MALWARE,
      raw`\b[^.!?:\n]{0,24}:`,
    ),
    exceptAfter: REFUSED_OR_REPORTED,
  },
];
