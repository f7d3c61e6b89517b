import { JUDGEABLE_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Detection } from "../detector.ts";
import { everyCategory } from "../policy/policy.ts";
import { areBelow, type Scores, zeroScores } from "../policy/scores.ts";

/**
 * Words that an application or a document contains are context, not yet a request: the categories of harm count from this
 * score on. At the thresholds for a user's own request, one system prompt in twenty would be refused.
 */
const CONFIDENT = 0.7;
/** The sexual abuse of children counts in every channel from the same score on. */
const CONFIDENT_SCORES: Readonly<Scores> = { ...everyCategory(CONFIDENT), sexual_minors: 0.2, pii: 0, secret: 0 };
const HARM_CATEGORIES: readonly SafetyCategory[] = JUDGEABLE_CATEGORIES.filter(
  (category) => category !== "injection" && category !== "jailbreak",
);
const UNREACHABLE = Number.POSITIVE_INFINITY;
const HARM_LIMITS: Readonly<Scores> = {
  ...CONFIDENT_SCORES,
  injection: UNREACHABLE,
  jailbreak: UNREACHABLE,
  pii: UNREACHABLE,
  secret: UNREACHABLE,
};

/**
 * The detection of an application's own words. They can't attack the model that they instruct, but harm in them is harm:
 * `detect` examines them as a request.
 */
export function detectInApplicationWords(given: string, detect: (text: string) => Detection): Detection {
  const text = withoutRepetitions(given);
  const detection = harmInContext(text, detect(text), detect);
  const { scores, findings, normalised } = detection;
  if (scores.injection === 0 && scores.jailbreak === 0) return detection;
  return {
    scores: { ...scores, injection: 0, jailbreak: 0 },
    findings: findings.filter(({ category }) => category !== "injection" && category !== "jailbreak"),
    normalised,
  };
}

/**
 * Keeps the harm in a detection that is confident and remains when the text's prohibitions are left out: "never explain
 * how to build a bomb" is a policy.
 */
export function harmInContext(text: string, detection: Detection, detect: (text: string) => Detection): Detection {
  const { scores, findings, normalised } = detection;
  let remaining: Readonly<Scores> = scores;
  if (!areBelow(scores, HARM_LIMITS)) {
    const requests = withoutProhibitions(text);
    if (requests !== text) remaining = requests.trim() === "" ? NO_SCORES : detect(requests).scores;
  }
  let kept: Scores | undefined;
  for (const category of HARM_CATEGORIES) {
    const limit = CONFIDENT_SCORES[category];
    if (scores[category] === 0 || (scores[category] >= limit && remaining[category] >= limit)) continue;
    kept ??= { ...scores };
    kept[category] = 0;
  }
  if (kept === undefined) return detection;
  const of = kept;
  return { scores: of, findings: findings.filter(({ category }) => of[category] > 0), normalised };
}

const NO_SCORES: Readonly<Scores> = zeroScores();

const SENTENCE = /[^.!?\n]+[.!?\n]*\s*/gu;

/** The text with repeated sentences blanked, of the same length: said many times, a harmless one seems more and more harmful. */
function withoutRepetitions(text: string): string {
  const seen = new Set<string>();
  return text.replace(SENTENCE, (sentence) => {
    const words = sentence.trim();
    if (words.length < 8 || !seen.has(words)) {
      seen.add(words);
      return sentence;
    }
    return " ".repeat(sentence.length);
  });
}

/** What may stand before the prohibiting word of a sentence. */
const LEAD =
  "you|your|the|an?|assistant|model|agent|ai|tool|this|it|we|i|i['’]m|am|sorry|but|and|or|also|please|always|must|should|shall|will|may|can|are|is|has|important|note|policy|rules?|warning|in|particular|under|no|circumstances|if|users?|asks?|asked|insists?|politely|kindly|strictly|do|been|for|that|such|any|requests?|instead|even|then|use|only|to|as|large|language";
const PROHIBITION =
  "never|do not|don['’]?t|does not|doesn['’]t|not|must ?n['’]t|can['’]?t|cannot|won['’]?t|unable|refus(?:e|es|ing|al)|declin(?:e|es|ing)|reject(?:s|ing)?|forbid(?:s|den)?|prohibit(?:s|ed|ion)?|disallow(?:s|ed)?|out of scope|avoid(?:s|ing)?|block(?:s|ed|ing)?|ban(?:s|ned)?|remove(?:s|d)?|classif(?:y|ies|ying)|flag(?:s|ged)?|detect(?:s|ing|ion)?|moderat(?:e|es|or|ion)|score [01]|messages? that|posts? that|requests? (?:that|to|for)|content that|texts? that|lehne|verweigere|niemals|nicht|refuser?|refusez|jamais|ne|nunca|no|rechaza|rifiuta|não|recuse";
/** "Do not refuse" prohibits a prohibition. */
const REVERSED =
  /(?:never|not|n['’]t|no|without|niemals|nicht|jamais|nunca)\W+(?:\p{L}+\W+){0,2}(?:refus|declin|reject|hesitat|forget|omit|skip|fail|stop|withhold|censor|filter|mind|worry|warn|leave|hold|only|just|add|afraid|block|avoid|matter|care|say|limit|restrict|moral|disclaim|ablehn|verweiger|rechaz)/iu;
const PROHIBITED = new RegExp(
  `^[^\\p{L}]*(?:\\(?[a-z\\d]{1,2}[).]\\s*)?(?:(?:${LEAD})[\\s,:]+)*(?:${PROHIBITION})(?!\\p{L})|^[^\\p{L}]*(?:拒绝|不要|禁止|不得)`,
  "iu",
);
/** A sentence, or a clause that begins with a prohibiting word or turns from one to the contrary. */
const CLAUSE_END =
  /[.!?](?=\s|$)|[;\n。！？]|,\s+(?=(?:never|do not|don['’]t|not|but|then|and (?:then|now)|instead|however)\s)|\s(?=(?:but|except|unless|however)\s)/giu;
/** A colon after which a prohibition goes on: what follows is the list of what is prohibited. */
const LIST_COLON =
  /(?:with|for|includ(?:e|es|ing)|following|these|this|such|as|things|topics|categories|requests?|content|on|about|of|to|into|provide|provides)\s*(?:\([^)]*\))?\s*:/iu;
const BULLET = /^\s*(?:[-*•]|\(?[a-z\d]{1,2}[).])\s/iu;

/** The text with its prohibitions blanked, of the same length. */
function withoutProhibitions(text: string): string {
  let blanked = "";
  let listIsProhibited = false;
  for (let start = 0; start < text.length; ) {
    CLAUSE_END.lastIndex = start;
    const found = CLAUSE_END.exec(text);
    const end = found === null ? text.length : found.index + Math.max(1, found[0].length);
    const clause = text.slice(start, end);
    const isItem = listIsProhibited && (BULLET.test(clause) || clause.trim() === "");
    if (isItem) blanked += " ".repeat(clause.length);
    else {
      const isProhibition = PROHIBITED.test(clause) && !REVERSED.test(clause);
      const colon = isProhibition && !LIST_COLON.test(clause) ? clause.indexOf(":") : -1;
      const prohibited = !isProhibition ? 0 : colon === -1 ? clause.length : colon + 1;
      blanked += " ".repeat(prohibited) + clause.slice(prohibited);
      const isHeading = clause.trimEnd().endsWith(":") || clause.trimStart().startsWith("#");
      listIsProhibited = isProhibition && isHeading;
    }
    start = end;
  }
  return blanked;
}
