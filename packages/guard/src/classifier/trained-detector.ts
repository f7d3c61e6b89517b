import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import type { Detection, Detector, Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { everyCategory } from "../policy/policy.ts";
import { areBelow, raiseScores, roundScore, roundScores, type Scores, zeroScores } from "../policy/scores.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";
import type { RuleMatch } from "../rules/rule-matcher.ts";
import { RULE_MATCHERS } from "../rules/rule-sets.ts";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import type { TextRange } from "../text-range.ts";
import { findUnusualSuffix } from "./adversarial-suffix.ts";
import { applyCalibration, type CalibrationName, classIndex } from "./classes.ts";
import { detectInApplicationWords, harmInContext } from "./harm-in-context.ts";
import { PlainAnswerScorer } from "./plain-answer.ts";
import { rawScoreFor } from "./raw-scores.ts";
import type { SafetyModel, SafetyWeights } from "./safety-model.ts";
import { createAnswerRuleIndex, createStreamDetectors, scoreModeration } from "./stream-detectors.ts";
import {
  decodeAndMatch,
  isScorable,
  type MatchedText,
  type ScorableText,
  TextScorer,
  type TextScores,
  WINDOW_SETTINGS,
} from "./text-scorer.ts";

const ATTACK_USER = classIndex("attack_user");
const ATTACK_DOCUMENT = classIndex("attack_document");
const UNSAFE = classIndex("unsafe");
const MODERATION = classIndex("moderation");
const JAILBREAK = classIndex("jailbreak");
const ILLICIT = classIndex("illicit");

/** The calibrated scores of which the highest is that of an attack. */
const ATTACK_CALIBRATIONS: Readonly<Record<"user" | "document", readonly CalibrationName[]>> = {
  user: ["attack_user", "attack_user_window", "jailbreak"],
  document: ["attack_document"],
};
const [HATE_AT, HARASSMENT_AT, SEXUAL_AT, SEXUAL_MINORS_AT, VIOLENCE_AT, SELF_HARM_AT] = [0, 1, 2, 3, 4, 5];
/** Lower scores lead to no action, and no range is reported for them. */
const NOTABLE = 0.2;
const NOTABLE_SCORES: Readonly<Scores> = everyCategory(NOTABLE);
/** The score from which a rule is certain of an attack, and the score below which the model overrules it. */
const CERTAIN_RULE = 0.8;
const MODEL_DOUBT = 0.4;
/** Shorter texts are refused as an attack only if a rule matches; the model alone has them reported. */
const SHORT_BYTES = 56;
/** The score from which on a score is dampened, and by which factor. */
const DAMPEN_FROM = 0.7;
const DAMPENED_SHARE = 0.3;

/**
 * The trained detector. The model scores each category; rule matches are among its features and name the ranges. Of all
 * decoded forms of a text the worst score counts.
 */
export function createTrainedDetector(model: SafetyModel): Detector {
  const user = new TextScorer(model, WINDOW_SETTINGS.user);
  const document = new TextScorer(model, WINDOW_SETTINGS.document);

  const scoreText = (
    matchedText: MatchedText,
    channel: "user" | "document",
    fromRules: readonly Finding[],
    scores: Scores,
  ): readonly Finding[] => {
    const textScores = (channel === "user" ? user : document).score(matchedText);
    scoreAttack(model, matchedText.text, textScores, channel, scores);
    scoreUnsafe(model, matchedText.text, textScores, scores);
    if (areBelow(scores, NOTABLE_SCORES)) return fromRules;
    const findings = [...fromRules];
    for (const category of SAFETY_CATEGORIES) {
      if (scores[category] < NOTABLE || findings.some((finding) => finding.category === category)) continue;
      const { start, end } = worstSpan(matchedText, textScores, classIndexFor(category, channel));
      findings.push({ category, score: scores[category], start, end });
    }
    return findings;
  };

  const answerRules = createAnswerRuleIndex(model);
  const plainAnswers = new PlainAnswerScorer(model, answerRules);

  function detect(text: string, channel: Channel): Detection {
    if (channel === "output") return detectInAnswer(createStreamDetectors(model, answerRules), text);
    if (channel === "application") return detectInApplicationWords(text, detectRequest);
    const detection = detectIn(text, channel);
    return channel === "document" ? harmInContext(text, detection, detectRequest) : detection;
  }

  const detectRequest = (text: string): Detection => detectIn(text, "user");

  function detectIn(text: string, channel: "user" | "document"): Detection {
    const scores = zeroScores();
    const findings: Finding[] = [];
    let undone: Set<string> | undefined;
    const matchedTexts = decodeAndMatch(text, channel);
    for (const matchedText of matchedTexts) {
      const isFirst = matchedText === matchedTexts[0];
      const newScores = isFirst ? scores : zeroScores();
      const harmful = channel === "document" ? ruleFindings(matchedText, harmIn(matchedText)) : NO_FINDINGS;
      const fromRules = ruleFindings(matchedText, matchedText.matches);
      const found = isScorable(matchedText) ? scoreText(matchedText, channel, fromRules, newScores) : fromRules;
      if (fromRules.length > 0) applyRuleScores(newScores, fromRules, channel);
      if (harmful.length > 0) applyRuleScores(newScores, harmful, "user");
      if (isShort(matchedText) && !hasAttackRule(matchedText)) dampenAttackScores(newScores);
      if (matchedText.decodedText.undone.length > 0 && (isFirst || isWorse(newScores, scores))) {
        undone ??= new Set();
        for (const disguise of matchedText.decodedText.undone) undone.add(disguise);
      }
      if (!isFirst) raiseScores(scores, newScores);
      for (const finding of found) findings.push(finding);
      for (const finding of harmful) findings.push(finding);
    }
    const suffixAttack =
      channel === "user" ? detectSuffixAttack(text, matchedTexts[0], model.weights, user) : undefined;
    if (suffixAttack !== undefined && suffixAttack.score >= NOTABLE && suffixAttack.score > scores.jailbreak) {
      scores.jailbreak = suffixAttack.score;
      findings.push(suffixAttack);
    }
    for (const { category, kind, weight, start, end } of findPrivateData(text)) {
      scores[category] = Math.max(scores[category], weight);
      findings.push({ category, kind, score: weight, start, end });
    }
    roundScores(scores);
    return { scores, findings, normalised: undone === undefined ? NO_DISGUISES : [...undone] };
  }

  return {
    detect,
    createStreamDetectors: () => createStreamDetectors(model, answerRules),
    scorePlainAnswer: (text) => plainAnswers.score(text),
  };
}

const NO_DISGUISES: readonly string[] = [];
const NO_FINDINGS: readonly Finding[] = [];

/** Whether a notable score is higher than before. */
function isWorse(newScores: Readonly<Scores>, scores: Readonly<Scores>): boolean {
  return SAFETY_CATEGORIES.some((category) => newScores[category] >= NOTABLE && newScores[category] > scores[category]);
}

/** The harm that rules find in a document. These matches are not among the features of an attack in one. */
function harmIn({ decodedText }: MatchedText): readonly RuleMatch[] {
  return RULE_MATCHERS.application.find(decodedText.text);
}

function ruleFindings({ decodedText }: MatchedText, matches: readonly RuleMatch[]): readonly Finding[] {
  if (matches.length === 0) return NO_FINDINGS;
  return matches.flatMap(({ rule, weight, start, end }) => {
    const sourceSpan = decodedText.placeOf(start, end);
    return rule.categories.map((category) => ({ category, score: weight, ...sourceSpan }));
  });
}

/**
 * A rule that recognises an unsafe request or answer sets the score by itself. A rule that is certain of an attack
 * needs some agreement from the model, as harmless texts mention attacks too.
 */
function applyRuleScores(scores: Scores, findings: readonly Finding[], channel: Channel): void {
  for (const { category, score } of findings) {
    if (category !== "injection" && category !== "jailbreak") {
      if (channel !== "document") scores[category] = Math.max(scores[category], score);
    } else if (score >= CERTAIN_RULE && Math.max(scores.injection, scores.jailbreak) >= MODEL_DOUBT) {
      scores[category] = Math.max(scores[category], CERTAIN_RULE + 0.1 * scores[category]);
    }
  }
}

/** A few words prove nothing. In bytes, as Chinese words have fewer characters. */
function isShort({ text }: MatchedText): boolean {
  return text.length < SHORT_BYTES && Buffer.byteLength(text) < SHORT_BYTES;
}

function hasAttackRule({ matches }: MatchedText): boolean {
  return matches.some(({ rule: { categories } }) =>
    categories.some((category) => category === "injection" || category === "jailbreak"),
  );
}

function dampenAttackScores(scores: Scores): void {
  scores.injection = dampened(scores.injection);
  scores.jailbreak = dampened(scores.jailbreak);
}

/** Keeps the score below the threshold for refusal, and its order. */
function dampened(score: number): number {
  return score < DAMPEN_FROM ? score : DAMPEN_FROM + (score - DAMPEN_FROM) * DAMPENED_SHARE;
}

function scoreAttack(
  model: SafetyModel,
  text: string,
  textScores: TextScores,
  channel: "user" | "document",
  scores: Scores,
): void {
  const attack = attackScore(model, text, textScores, channel);
  const isJailbreak =
    channel === "user" && (textScores.section[JAILBREAK] ?? 0) > (textScores.section[ATTACK_USER] ?? 0);
  // An attack is an injection or a jailbreak and often both. The less likely one is dampened below refusal.
  scores.injection = isJailbreak ? dampened(attack) : attack;
  scores.jailbreak = isJailbreak ? attack : dampened(attack);
}

function attackScore(model: SafetyModel, text: string, textScores: TextScores, channel: "user" | "document"): number {
  let attack = 0;
  for (const name of ATTACK_CALIBRATIONS[channel])
    attack = Math.max(attack, applyCalibration(model.weights.calibrations[name], rawScoreFor(name, textScores, text)));
  return attack;
}

function scoreUnsafe(model: SafetyModel, text: string, textScores: TextScores, scores: Scores): void {
  const { calibrations } = model.weights;
  scores.unsafe_intent = applyCalibration(calibrations.unsafe, rawScoreFor("unsafe", textScores, text));
  const worst = rawScoreFor("moderation", textScores, text);
  const { scores: moderated, likeliest } = scoreModeration(model, worst, textScores.whole);
  scores.hate = moderated[HATE_AT] ?? 0;
  scores.harassment = moderated[HARASSMENT_AT] ?? 0;
  scores.sexual = moderated[SEXUAL_AT] ?? 0;
  scores.sexual_minors = moderated[SEXUAL_MINORS_AT] ?? 0;
  scores.violence = moderated[VIOLENCE_AT] ?? 0;
  scores.self_harm = moderated[SELF_HARM_AT] ?? 0;
  scores.illicit = scores.unsafe_intent * Math.min(1, Math.exp(((textScores.whole[ILLICIT] ?? 0) - likeliest) / 2));
}

function classIndexFor(category: SafetyCategory, channel: Channel): number {
  if (category === "injection" || category === "jailbreak") return channel === "user" ? ATTACK_USER : ATTACK_DOCUMENT;
  return category === "unsafe_intent" || category === "illicit" ? UNSAFE : MODERATION;
}

/** The range that made the model score a category: the window or sentence, or the whole of a short text. */
function worstSpan(matchedText: MatchedText, textScores: TextScores, classId: number): TextRange {
  return spanInOriginal(matchedText, textScores.starts[classId] ?? 0, textScores.ends[classId] ?? 0);
}

function spanInOriginal({ isOriginal, decodedText }: MatchedText, start: number, end: number): TextRange {
  return isOriginal ? { start, end } : decodedText.placeOf(start, end);
}

/** The number of characters before the suffix that are scored. */
const REQUEST_CHARACTERS_MAX = 800;
/** The oddness at which a suffix doubles the suspicion. */
const ODDNESS_FULL = 4;
/** The suspicion from which an unusual suffix is an attack, and the confidence in that. */
const SUSPICION_MIN = 0.35;
const CONFIDENCE_MIN = 0.8;
const CONFIDENCE_MAX = 0.95;

const UNSAFE_CLASS = classIndex("unsafe");

/**
 * An unusual suffix alone is no attack, as people paste all kinds of text. Behind an unsafe request it is there to get
 * the request answered. The request is scored without the suffix, which is designed to drown it out.
 */
function detectSuffixAttack(
  text: string,
  matchedText: MatchedText | undefined,
  weights: SafetyWeights,
  scorer: TextScorer,
): Finding | undefined {
  const unusualSuffix = findUnusualSuffix(text, weights);
  if (unusualSuffix === undefined) return undefined;
  const { section } = scorer.score(requestBefore(unusualSuffix.start, text, matchedText));
  const unsafe = applyCalibration(weights.calibrations.unsafe, section[UNSAFE_CLASS] ?? 0);
  const suspicion = Math.min(1, unsafe * (1 + Math.min(1, unusualSuffix.oddness / ODDNESS_FULL)));
  return {
    category: "jailbreak",
    score: confidenceOf(suspicion),
    start: unusualSuffix.start,
    end: unusualSuffix.end,
  };
}

/** The text before the suffix, with the rule matches in it if they refer to the original text. */
function requestBefore(end: number, text: string, matchedText: MatchedText | undefined): ScorableText {
  const from = Math.max(0, end - REQUEST_CHARACTERS_MAX);
  const fromRules = matchedText?.isOriginal === true ? matchedText : { matches: [], starts: [] };
  const found = fromRules.matches.flatMap((ruleMatch, at) => {
    const start = (fromRules.starts[at] ?? 0) - from;
    return start >= 0 && start < end - from ? [{ match: ruleMatch, start }] : [];
  });
  return {
    text: text.slice(from, end),
    matches: found.map(({ match: ruleMatch }) => ruleMatch),
    starts: found.map(({ start }) => start),
  };
}

function confidenceOf(suspicion: number): number {
  if (suspicion < SUSPICION_MIN) return (suspicion * CONFIDENCE_MIN) / SUSPICION_MIN;
  return CONFIDENCE_MIN + ((CONFIDENCE_MAX - CONFIDENCE_MIN) * (suspicion - SUSPICION_MIN)) / (1 - SUSPICION_MIN);
}

/** Runs the stream detectors over a complete answer with the same strides as in a stream. */
function detectInAnswer(streamDetectors: readonly StreamDetector[], text: string): Detection {
  const scores = zeroScores();
  const findings: Finding[] = [];
  const normalised = new Set<string>();
  const addDetection = (streamDetection: StreamDetection | undefined) => {
    if (streamDetection === undefined) return;
    findings.push(...streamDetection.findings);
    for (const disguise of streamDetection.normalised) normalised.add(disguise);
  };
  const streamBuffer = new StreamBuffer();
  streamBuffer.append(text);
  let from = 0;
  for (let isLast = false; !isLast; ) {
    isLast = from + STRIDE > text.length;
    const to = isLast ? text.length : streamBuffer.strideEnd(from);
    streamBuffer.startStride(from, to);
    for (const streamDetector of streamDetectors) addDetection(streamDetector.read(streamBuffer, to, isLast));
    from = to;
  }
  for (const { category, score } of findings) scores[category] = Math.max(scores[category], roundScore(score));
  return { scores, findings, normalised: [...normalised] };
}
