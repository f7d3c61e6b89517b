import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import type { Detection, Detector, Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { zeroScores } from "../policy/verdict-tally.ts";
import { findPrivateDataResumable } from "../private-data/find-private-data.ts";
import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { findUnusualSuffix } from "./adversarial-suffix.ts";
import { adjustDocumentScore, adjustScenarioScore, applyCalibration, classIndex } from "./classes.ts";
import type { SafetyModel, SafetyWeights } from "./safety-model.ts";
import { scoreModeration, streamDetectorFactory } from "./stream-detectors.ts";
import {
  decodeAndMatchResumable,
  isScorable,
  type MatchedText,
  type ScorableText,
  TextScorer,
  type TextScores,
  WINDOW_SETTINGS,
} from "./text-scorer.ts";

type Scores = Record<SafetyCategory, number>;

const ATTACK_USER = classIndex("attack_user");
const ATTACK_DOCUMENT = classIndex("attack_document");
const UNSAFE = classIndex("unsafe");
const MODERATION = classIndex("moderation");
const JAILBREAK = classIndex("jailbreak");
const ILLICIT = classIndex("illicit");

/** Below this nobody acts on a score, and no place is named for it. */
const NOTABLE = 0.2;
/** From where on a rule is sure of an attack, and the model of nothing. */
const CERTAIN_RULE = 0.8;
const MODEL_DOUBT = 0.4;
/** A text shorter than this is refused as an attack only where a rule sees a sign of one; the model alone has it reported. */
const SHORT_BYTES = 56;
/** From where on a score is held back, and how much of it is left from there. */
const DAMPEN_FROM = 0.7;
const DAMPENED_SHARE = 0.3;

/**
 * The trained detector. The model says how sure it is of each category; the rules' finds are among what it weighs, and
 * name the places. Of all ways to read a text the worst counts.
 */
export function createTrainedDetector(model: SafetyModel): Detector {
  const user = new TextScorer(model, WINDOW_SETTINGS.user);
  const document = new TextScorer(model, WINDOW_SETTINGS.document);

  const judge = (matchedText: MatchedText, channel: "user" | "document", findings: Finding[]): Scores => {
    const scores = zeroScores();
    const textScores = (channel === "user" ? user : document).score(matchedText);
    scoreAttack(model, matchedText.text, textScores, channel, scores);
    if (channel === "user") scoreUnsafe(model, textScores, scores);
    for (const category of SAFETY_CATEGORIES) {
      if (scores[category] < NOTABLE || findings.some((finding) => finding.category === category)) continue;
      findings.push({
        category,
        score: scores[category],
        ...worstSpan(matchedText, textScores, classIndexFor(category, channel)),
      });
    }
    return scores;
  };

  const follow = streamDetectorFactory(model);

  function* examining(text: string, channel: Channel): Resumable<Detection> {
    if (channel === "output") return yield* detectInAnswer(follow(), text);
    const scores = zeroScores();
    const findings: Finding[] = [];
    const undone = new Set<string>();
    const matchedTexts = yield* decodeAndMatchResumable(text, channel);
    for (const matchedText of matchedTexts) {
      if (matchedText.text.length >= RESUMABLE_MIN_CHARACTERS) yield;
      const ruled = ruleFindings(matchedText);
      const found = [...ruled];
      const judged = isScorable(matchedText) ? judge(matchedText, channel, found) : zeroScores();
      applyRuleScores(judged, ruled, channel);
      if (isShort(matchedText) && !hasAttackRule(matchedText)) dampenAttackScores(judged);
      const isWorse = SAFETY_CATEGORIES.some(
        (category) => judged[category] >= NOTABLE && judged[category] > scores[category],
      );
      if (matchedText === matchedTexts[0] || isWorse)
        for (const disguise of matchedText.decodedText.undone) undone.add(disguise);
      raiseScores(scores, judged);
      findings.push(...found);
    }
    const tailed = channel === "user" ? detectSuffixAttack(text, matchedTexts[0], model.weights, user) : undefined;
    if (tailed !== undefined && tailed.score >= NOTABLE && tailed.score > scores.jailbreak) {
      scores.jailbreak = tailed.score;
      findings.push(tailed);
    }
    for (const { category, kind, weight, start, end } of yield* findPrivateDataResumable(text)) {
      scores[category] = Math.max(scores[category], weight);
      findings.push({ category, kind, score: weight, start, end });
    }
    for (const category of SAFETY_CATEGORIES) scores[category] = Math.round(scores[category] * 1e5) / 1e5;
    return { scores, findings, normalised: [...undone] };
  }

  return {
    createStreamDetectors: follow,
    detectResumable: examining,
    detect: (text, channel) => runToEnd(examining(text, channel)),
  };
}

function ruleFindings({ matches: ruleMatches, decodedText }: MatchedText): Finding[] {
  return ruleMatches.flatMap(({ rule, weight, start, end }) => {
    const sourceSpan = decodedText.placeOf(start, end);
    return rule.categories.map((category) => ({ category, score: weight, ...sourceSpan }));
  });
}

/**
 * Where a rule knows an unsafe request or answer for what it is, it need not convince the model. An attack is one by a
 * rule that is sure of it only if the model has its doubts as well: harmless texts speak of attacks, too.
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

/** A few words prove nothing by themselves: in bytes, as a word of Chinese has fewer letters. */
function isShort({ text }: MatchedText): boolean {
  return text.length < SHORT_BYTES && Buffer.byteLength(text) < SHORT_BYTES;
}

function hasAttackRule({ matches: ruleMatches }: MatchedText): boolean {
  return ruleMatches.some(({ rule: { categories } }) =>
    categories.some((category) => category === "injection" || category === "jailbreak"),
  );
}

function dampenAttackScores(scores: Scores): void {
  scores.injection = dampened(scores.injection);
  scores.jailbreak = dampened(scores.jailbreak);
}

/** Below what is refused, and still in order. */
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
  const attack =
    channel === "user"
      ? attackByUser(model.weights, text, textScores)
      : attackInDocument(model.weights, text, textScores);
  const isJailbreak = channel === "user" && (textScores.whole[JAILBREAK] ?? 0) > (textScores.whole[ATTACK_USER] ?? 0);
  // An attack is one or the other, and often enough both: what it rather is not is never refused, and still in order.
  scores.injection = isJailbreak ? dampened(attack) : attack;
  scores.jailbreak = isJailbreak ? attack : dampened(attack);
}

function attackByUser(
  { calibrations }: SafetyWeights,
  text: string,
  { whole, worst, windowCount: windows }: TextScores,
): number {
  const ofWhole = applyCalibration(calibrations.attack_user, whole[ATTACK_USER] ?? 0);
  const ofScene = applyCalibration(calibrations.jailbreak, adjustScenarioScore(whole[JAILBREAK] ?? 0, text));
  const ofWindow = windows === 0 ? 0 : applyCalibration(calibrations.attack_user_window, worst[ATTACK_USER] ?? 0);
  return Math.max(ofWhole, ofScene, ofWindow);
}

/** An order in a document is a sentence or two; what all of a long document is like says nothing about it. */
function attackInDocument({ calibrations }: SafetyWeights, text: string, { worst }: TextScores): number {
  return applyCalibration(calibrations.attack_document, adjustDocumentScore(worst[ATTACK_DOCUMENT] ?? 0, text));
}

function scoreUnsafe(model: SafetyModel, textScores: TextScores, scores: Scores): void {
  const { calibrations } = model.weights;
  scores.unsafe_intent = applyCalibration(calibrations.unsafe, textScores.whole[UNSAFE] ?? 0);
  const worst = Math.max(
    textScores.whole[MODERATION] ?? 0,
    textScores.windowCount > 0 ? (textScores.worst[MODERATION] ?? 0) : Number.NEGATIVE_INFINITY,
  );
  const likeliest = scoreModeration(model, worst, textScores.whole, (category, score) => {
    scores[category] = score;
  });
  scores.illicit = scores.unsafe_intent * Math.min(1, Math.exp(((textScores.whole[ILLICIT] ?? 0) - likeliest) / 2));
}

function classIndexFor(category: SafetyCategory, channel: Channel): number {
  if (category === "injection" || category === "jailbreak") return channel === "user" ? ATTACK_USER : ATTACK_DOCUMENT;
  return category === "unsafe_intent" || category === "illicit" ? UNSAFE : MODERATION;
}

/** Where the model alone is sure, the place is the window or the sentence that makes it so, or all of a short text. */
function worstSpan(matchedText: MatchedText, textScores: TextScores, head: number): { start: number; end: number } {
  return spanInOriginal(matchedText, textScores.starts[head] ?? 0, textScores.ends[head] ?? 0);
}

function spanInOriginal(
  { isOriginal, decodedText }: MatchedText,
  start: number,
  end: number,
): { start: number; end: number } {
  return isOriginal ? { start, end } : decodedText.placeOf(start, end);
}

function raiseScores(scores: Scores, others: Readonly<Scores>): void {
  for (const category of SAFETY_CATEGORIES) scores[category] = Math.max(scores[category], others[category]);
}

/** So much of the request before the tail is looked at. */
const REQUEST_CHARACTERS_MAX = 800;
/** A tail that is so odd makes what is asked for twice as suspicious as one that just is. */
const ODDNESS_FULL = 4;
/** From where on what is asked for makes an odd tail an attack, and how sure that is. */
const SUSPICION_MIN = 0.35;
const CONFIDENCE_MIN = 0.8;
const CONFIDENCE_MAX = 0.95;

const UNSAFE_CLASS = classIndex("unsafe");

/**
 * An odd tail alone is no attack: people paste all sorts of things. One behind a request for something unsafe is there to
 * have it answered. The request is judged without it, as the tail is made to drown it.
 */
function detectSuffixAttack(
  text: string,
  matchedText: MatchedText | undefined,
  weights: SafetyWeights,
  weigher: TextScorer,
): Finding | undefined {
  const unusualSuffix = findUnusualSuffix(text, weights);
  if (unusualSuffix === undefined) return undefined;
  const { whole } = weigher.score(requestBefore(unusualSuffix.start, text, matchedText));
  const unsafe = applyCalibration(weights.calibrations.unsafe, whole[UNSAFE_CLASS] ?? 0);
  const suspicion = Math.min(1, unsafe * (1 + Math.min(1, unusualSuffix.oddness / ODDNESS_FULL)));
  return {
    category: "jailbreak",
    score: confidenceOf(suspicion),
    start: unusualSuffix.start,
    end: unusualSuffix.end,
  };
}

/** With what the rules found in it, where these read the text as it was given. */
function requestBefore(end: number, text: string, matchedText: MatchedText | undefined): ScorableText {
  const from = Math.max(0, end - REQUEST_CHARACTERS_MAX);
  const ruled = matchedText?.isOriginal === true ? matchedText : { matches: [], starts: [] };
  const found = ruled.matches.flatMap((ruleMatch, at) => {
    const start = (ruled.starts[at] ?? 0) - from;
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

/** What those who follow an answer make of a whole one, at the places at which they would judge it in a stream. */
function* detectInAnswer(streamDetectors: readonly StreamDetector[], text: string): Resumable<Detection> {
  const scores = zeroScores();
  const findings: Finding[] = [];
  const normalised = new Set<string>();
  const note = (streamDetection: StreamDetection | undefined) => {
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
    for (const streamDetector of streamDetectors) note(streamDetector.read(streamBuffer, to, isLast));
    from = to;
    yield;
  }
  for (const { category, score } of findings)
    scores[category] = Math.max(scores[category], Math.round(score * 1e5) / 1e5);
  return { scores, findings, normalised: [...normalised] };
}
