import { buildPattern, type Rule, splitList } from "./rule-matcher.ts";
import { HATED_GROUP } from "./unsafe-phrases.ts";

const raw = String.raw;

/** Hate and threats, in requests and answers. */
export const HATE_RULES: readonly Rule[] = [
  {
    name: "call-to-exterminate",
    categories: ["hate", "violence"],
    weight: 0.92,
    anchors: splitList("kill , gas , exterminate, eradicate, lynch, wipe out, death to, hang "),
    pattern: buildPattern(
      raw`(?:\b(?:kill|gas|exterminate|eradicate|lynch|wipe out|hang) (?:all (?:of )?(?:the )?|the |some |every (?:single )?)|\bdeath to (?:all )?(?:the )?)`,
      HATED_GROUP,
      raw`\b`,
    ),
    quotable: true,
    exceptAfter: /\b(?:to|did|didn't|not|never)\s$/,
  },
  {
    name: "deny-humanity",
    categories: ["hate"],
    weight: 0.75,
    anchors: splitList(
      "vermin, subhuman, sub-human, exterminated, not human, parasites, cockroaches, gassed, lynched, inferior, wiped out, filth, animals",
    ),
    pattern: buildPattern(
      raw`\b`,
      HATED_GROUP,
      raw`\s(?:people |men |women )?(?:are|should be|must be|need to be|deserve to be)\s(?:all |just |nothing but |a bunch of |genetically |an? )?(?:vermin|sub-?human|exterminated|not human|parasites|cockroaches|gassed|lynched|inferior|wiped out|filth|animals)\b`,
    ),
    quotable: true,
  },
  {
    name: "hate-slogan",
    categories: ["hate"],
    weight: 0.6,
    anchors: splitList("heil hitler, sieg heil, race war now, rahowa, hitler was right, 14/88"),
    pattern: buildPattern(raw`\b(?:heil hitler|sieg heil|race war now|rahowa|hitler was right|14/88)\b`),
    quotable: true,
  },
  {
    name: "wish-death",
    categories: ["harassment"],
    weight: 0.7,
    anchors: splitList("kill yourself, kys, die in a"),
    pattern: buildPattern(raw`\bkill yourself\b|\bkys\b|\bdie in a (?:fire|hole|ditch)\b`),
    quotable: true,
    exceptAfter: /\b(?:don't|not|never|you|you'll)\s$/,
  },
  {
    name: "threaten",
    categories: ["violence", "harassment"],
    weight: 0.65,
    anchors: splitList("kill , murder , shoot , stab , rape "),
    pattern: buildPattern(
      raw`\bi(?:'ll| will|'m going to| am going to|'m gonna) (?:kill|murder|shoot|stab|rape) (?:you|him|her|them|everyone|your family|my (?:wife|husband|boss|ex|neighbou?r|teacher|family|classmates))\b`,
    ),
    quotable: true,
  },
];
