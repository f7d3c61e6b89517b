import { anyOf, buildPattern, patternEndingIn, type Rule, splitList } from "./rule-matcher.ts";
import {
  DRUG_ANCHORS,
  HATED_GROUP,
  KILL_ANCHORS,
  KILL_MYSELF,
  KILL_PERSON,
  MAKE_DRUG,
  MAKE_REAL_WEAPON,
  MALWARE,
  MALWARE_ANCHORS,
  MINOR,
  NOT_IN_FICTION,
  REAL_WEAPON_RECIPE,
  SEXUAL_ANCHORS,
  SEXUAL_MATERIAL,
  WEAPON_ANCHORS,
} from "./unsafe-phrases.ts";

const raw = String.raw;

/** "How to …" in its usual forms, up to the verb. */
const ASK_HOW = `${anyOf(
  raw`\bhow (?:to|do i|do you|can i|can you|could i|would i|should i|does one|can one|would one|someone (?:can|could|might|would))`,
  raw`\b(?:teach|show|tell|help|instruct|guide) me(?: how)?(?: to)?|\bexplain(?: to me)? how to|\bi(?: want|'d like| would like| need) to`,
  raw`\b(?:way|step|instruction|direction|guide|tutorial|recipe|manual|method|process|procedure|plan)s? (?:to|on how to|for how to|on|for)`,
)}\\s(?:\\w{1,12} ){0,2}`;
const ASKED_HOW = patternEndingIn(ASK_HOW);
const ASK_FOR = anyOf(
  raw`write|create|generate|draw|make|show|give|send|find|share|describe|produce|download|upload|buy|sell|trade|get`,
  raw`watch|view|access|store|distribute|roleplay|role-play|want|looking for|need|where (?:can|do|to)|facilitate|conceal|hide`,
);
const ASK_FOR_INSTRUCTIONS = raw`\b(?:give|write|provide|list|generate|create|show|send|share|outline|describe)\b[^.!?]{0,40}\b(?:instructions?|recipe|guide|steps|tutorial|plans?|blueprints?|manual|schematics?|how)\b[^.!?]{0,24}`;
/** People who protect children use the same nouns. */
const PROTECTING = raw`(?:abuse|prevent|report|protect|illegal|laws?\b|crime|criminal|victim|survivor|educat|awareness|detect(?!ed)|moderat|combat|stop|fight|convict|arrest|charge|accus|safety|polic|consequences|harm)`;

/** A text that wants something of its readers, up to what it wants. An essay on such texts is none. */
const ASK_FOR_APPEAL = [
  raw`\b(?:write|compose|draft|create|generate|give|make|prepare|produce|post|deliver)(?: me| us)? (?:an?|some|the|my) `,
  raw`(?:(?!(?:on|about|of|against|how|that) )[\w-]{2,14} ){0,3}`,
  raw`(?:speech(?:es)?|manifestos?|sermons?|songs?|poems?|raps?|posts?|tweets?|pamphlets?|leaflets?|flyers?|articles?|essays?|texts?|messages?|slogans?|chants?|letters?|posters?) `,
  raw`(?:that |which |to )?(?:call(?:s|ing)?|demand(?:s|ing)?|advocat(?:es?|ing)|incit(?:es?|ing)|urg(?:es?|ing)|encourag(?:es?|ing)|justif(?:y|ies|ying)`,
  raw`|glorif(?:y|ies|ying)|celebrat(?:es?|ing)|prais(?:es?|ing)|promot(?:es?|ing)|support(?:s|ing)?|in favou?r of) `,
  raw`(?:for |on )?(?:(?:people|others|readers|listeners|everyone|us|our \w{3,12}) )?(?:to )?(?:the )?(?:mass )?`,
].join("");

/** Requests for help with serious harm, in a caller's own text. */
export const REQUEST_RULES: readonly Rule[] = [
  {
    name: "ask-for-weapon",
    categories: ["unsafe_intent", "violence", "illicit"],
    weight: 0.92,
    anchors: WEAPON_ANCHORS,
    pattern: buildPattern(raw`\b`, MAKE_REAL_WEAPON),
    leadIn: patternEndingIn(ASK_HOW, ASK_FOR_INSTRUCTIONS),
    quotable: true,
  },
  {
    name: "ask-for-weapon-recipe",
    categories: ["unsafe_intent", "violence", "illicit"],
    weight: 0.92,
    anchors: WEAPON_ANCHORS,
    pattern: buildPattern(raw`\b`, REAL_WEAPON_RECIPE),
    leadIn: patternEndingIn(raw`\b(?:give|write|provide|list|generate|create|show|send|share|need|want)\b[^.!?]{0,24}`),
    quotable: true,
  },
  {
    name: "ask-for-drug-synthesis",
    categories: ["unsafe_intent", "illicit"],
    weight: 0.9,
    anchors: DRUG_ANCHORS,
    pattern: buildPattern(raw`\b`, MAKE_DRUG),
    leadIn: ASKED_HOW,
    quotable: true,
  },
  {
    name: "ask-for-malware",
    categories: ["unsafe_intent", "illicit"],
    weight: 0.9,
    anchors: MALWARE_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:write|create|code|develop|build|make|program|generate|give me|design|provide)\s(?:me |us )?(?:an? |some |the |my own |(?:the )?(?:code|script|program) (?:for|of) (?:an? )?)?(?:(?:simple|working|undetectable|powerful|new|custom|basic|advanced|python|windows|android|linux|functional|stealthy|fully|real|functioning|persistent) ){0,2}`,
      MALWARE,
      raw`(?=\s(?:that|to|which|in (?:python|c|c\+\+|c#|rust|go|java|javascript|powershell|bash|assembly)|for (?:windows|linux|macos|android)|code|program|script|source)\b|\s?[.!?]|\s?$)(?!\s(?:code|program|script|source) (?:review|analy|detect|scan))`,
    ),
    quotable: true,
  },
  {
    name: "ask-to-use-malware",
    categories: ["unsafe_intent", "illicit"],
    weight: 0.7,
    anchors: MALWARE_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:use|spread|distribute|deploy|install|hide|conceal)s?\s(?:\w{1,12} ){0,3}`,
      MALWARE,
      raw`(?=\s(?:to|on|from|that|in|without)\b|\s?[.!?,]|\s?$)(?! (?:to|that) (?:detect|remove|scan|analy))`,
    ),
    leadIn: patternEndingIn(ASK_HOW, raw`\b(?:write|create|give me) [^.!?]{0,24}\b(?:to|that) `),
    quotable: true,
  },
  {
    name: "ask-how-to-kill",
    categories: ["unsafe_intent", "violence"],
    weight: 0.92,
    anchors: KILL_ANCHORS,
    pattern: buildPattern(raw`\b`, KILL_PERSON, NOT_IN_FICTION),
    leadIn: ASKED_HOW,
    quotable: true,
  },
  {
    name: "ask-for-incitement",
    categories: ["unsafe_intent", "hate", "violence"],
    weight: 0.92,
    anchors: splitList("kill, murder, slaughter, massacre, genocide, lynch, exterminat, eradicat, annihilat, gas "),
    pattern: buildPattern(
      raw`\b(?:(?:killing|murder|slaughter|massacre|genocide|lynching|extermination|eradication|annihilation)s? (?:of |against )|(?:kill|murder|slaughter|massacre|lynch|exterminate|eradicate|annihilate|gas) )(?:all (?:of )?(?:the )?|the |every (?:single )?)?`,
      HATED_GROUP,
      raw`\b`,
    ),
    leadIn: patternEndingIn(ASK_FOR_APPEAL),
    quotable: true,
  },
  {
    name: "hire-a-killer",
    categories: ["unsafe_intent", "violence", "illicit"],
    weight: 0.92,
    anchors: splitList("hitman, hit man, contract killer, assassin, hired killer"),
    pattern: buildPattern(
      raw`\b(?:hir(?:e|ing)|find(?:ing)?|contact(?:ing)?|pay(?:ing)?)\s(?:an? )?(?:\w{2,12} )?(?:hit ?man|contract killer|assassin|hired killer)\b(?! (?:game|costume|trilogy|\d)|'s)`,
    ),
    leadIn: patternEndingIn(ASK_HOW, raw`\bwhere (?:can|do|could) i (?:\w{2,10} )?`),
    quotable: true,
  },
  {
    name: "ask-for-suicide-method",
    categories: ["unsafe_intent", "self_harm"],
    weight: 0.92,
    anchors: splitList("myself, suicide, my life, my own life, my wrists"),
    pattern: buildPattern(raw`\b`, KILL_MYSELF, NOT_IN_FICTION),
    leadIn: patternEndingIn(
      raw`\bhow (?:to|do i|can i|could i|should i|would i) (?:painlessly |quickly |best )?`,
      raw`\b(?:best|easiest|quickest|fastest|painless|least painful|most effective|surest) (?:ways?|methods?) (?:to|of|for) `,
      raw`\b(?:help|teach) me(?: how)?(?: to)? `,
    ),
    quotable: true,
  },
  {
    // A cry for help is not refused: it is reported, and the model may answer it with care.
    name: "speak-of-suicide",
    categories: ["self_harm"],
    weight: 0.6,
    anchors: splitList("myself, my life, my own life, to die, suicidal"),
    pattern: buildPattern(
      raw`\b(?:want|wish|going|plan(?:ning)?|thinking (?:of|about)|feel(?:ing)? like|urge|might|will) (?:to )?(?:kill(?:ing)? myself|end(?:ing)? my life|(?:hurt|cutt?|harm)(?:ing)? myself|tak(?:e|ing) my own life)|\bi (?:want|wish) to die\b|\b(?:am|i'm|feel(?:ing)?|been) suicidal\b`,
    ),
  },
  {
    name: "ask-for-child-abuse-material",
    categories: ["unsafe_intent", "sexual_minors"],
    weight: 0.95,
    anchors: SEXUAL_ANCHORS,
    pattern: buildPattern(
      raw`\b`,
      ASK_FOR,
      raw`\b[^.!?]{0,40}\b(?:`,
      MINOR,
      raw`\b[^.!?]{0,16}\b`,
      SEXUAL_MATERIAL,
      raw`|`,
      SEXUAL_MATERIAL,
      raw`\b[^.!?]{0,16}\b(?:of|with|involving|about|featuring|between|starring|where|depicting)\b[^.!?]{0,20}\b`,
      MINOR,
      raw`)\b(?![^.!?]{0,60}\b`,
      PROTECTING,
      raw`)`,
    ),
    exceptAfter: new RegExp(`\\b${PROTECTING}\\w{0,6}\\b[^.!?]{0,60}$`),
  },
  {
    name: "mention-child-abuse-material",
    categories: ["sexual_minors"],
    weight: 0.4,
    anchors: splitList("child porn, childporn, csam, kiddie porn, child erotica, lolicon, underage porn, pedo"),
    pattern: buildPattern(
      raw`\b(?:child ?porn\w{0,8}|csam|kiddie porn|child erotica|lolicon|underage porn|pedo(?:phile)? (?:content|videos?|pics?|porn))\b`,
    ),
  },
  {
    name: "ask-for-fraud",
    categories: ["unsafe_intent", "illicit"],
    weight: 0.7,
    anchors: splitList(
      "phishing, credit card, counterfeit, launder, fake , forged , steal, stolen, skim, forge, fraud, identit",
    ),
    pattern: buildPattern(
      raw`\b`,
      anyOf(
        raw`phishing (?:e-?mails?|pages?|sites?|websites?|kits?|campaigns?|messages?|attack)`,
        raw`(?:clone|steal|skim|forge) (?:an? |someone's |other people's )?(?:credit cards?|identit(?:y|ies)|passports?|signatures?|money|cars?|passwords?|data)`,
        raw`(?:commit|do) (?:credit card fraud|identity theft|wire fraud|insurance fraud|tax fraud)|(?:launder|laundering) money`,
        raw`counterfeit (?:money|bills|currency|cash)|(?:fake|forged) (?:ids?|passports?|documents)|stolen credit cards?|credit card (?:skimmer|dumps)`,
      ),
      raw`\b`,
    ),
    leadIn: patternEndingIn(
      raw`${anyOf(ASK_HOW, raw`\b(?:write|create|generate|make|build|give me)\s(?:me )?`)}[^.!?]{0,24}`,
    ),
    quotable: true,
  },
  {
    name: "ask-to-break-in",
    categories: ["unsafe_intent", "illicit"],
    weight: 0.7,
    anchors: splitList("hack, ddos, brute, break into, breaking into, stalk, spy"),
    pattern: buildPattern(
      raw`\b(?:hack(?:ing)?(?: into)?|ddos(?:ing)?|break(?:ing)? into|spy(?:ing)? on|stalk(?:ing)?|brute[- ]force)\s[^.!?]{0,28}\b(?:accounts?|phone|facebook|instagram|gmail|e-?mail|wi-?fi|website|server|database|network|bank|atm|car|house|home|computer|systems?|girlfriend|boyfriend|ex|wife|husband|government|passwords?)\b`,
    ),
    leadIn: ASKED_HOW,
    quotable: true,
  },
];
