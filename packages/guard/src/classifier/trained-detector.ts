import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import type { Detector, Finding, Sighting } from "../detector.ts";
import { noScores } from "../policy/verdict-tally.ts";
import { searchPrivateData } from "../private-data/private-data.ts";
import { atOnce, STEP_CHARACTERS, type Steps } from "../resumable.ts";
import { attackByTail } from "./behind-tail.ts";
import { calibrated } from "./calibration.ts";
import { readAnswer } from "./examine-answer.ts";
import { answerFollowers } from "./follow-answers.ts";
import { tellModeration } from "./growing-text.ts";
import { headAt } from "./heads.ts";
import { rawOfDocument, rawOfScene } from "./length-cost.ts";
import { isWeighed, type Reading, readInAllWays } from "./readings.ts";
import type { SafetyModel } from "./safety-model.ts";
import { TextWeigher, VIEWS, type Weighed } from "./text-weigher.ts";
import type { SafetyWeights } from "./weights.ts";

type Scores = Record<SafetyCategory, number>;

const ATTACK_USER = headAt("attack_user");
const ATTACK_DOCUMENT = headAt("attack_document");
const UNSAFE = headAt("unsafe");
const MODERATION = headAt("moderation");
const JAILBREAK = headAt("jailbreak");
const ILLICIT = headAt("illicit");

/** Below this nobody acts on a score, and no place is named for it. */
const NOTABLE = 0.2;
/** From where on a rule is sure of an attack, and the model of nothing. */
const SURE_RULE = 0.8;
const DOUBT = 0.4;
/** A text shorter than this is refused as an attack only where a rule sees a sign of one; the model alone has it reported. */
const SHORT_BYTES = 56;
/** From where on a score is held back, and how much of it is left from there. */
const FREE = 0.7;
const SHARE_HELD = 0.3;

/**
 * The trained detector. The model says how sure it is of each category; the rules' finds are among what it weighs, and
 * name the places. Of all ways to read a text the worst counts.
 */
export function trainedDetector(model: SafetyModel): Detector {
  const user = new TextWeigher(model, VIEWS.user);
  const document = new TextWeigher(model, VIEWS.document);

  const judge = (reading: Reading, channel: "user" | "document", findings: Finding[]): Scores => {
    const scores = noScores();
    const weighed = (channel === "user" ? user : document).weigh(reading);
    tellAttack(model, reading.text, weighed, channel, scores);
    if (channel === "user") tellUnsafe(model, weighed, scores);
    for (const category of SAFETY_CATEGORIES) {
      if (scores[category] < NOTABLE || findings.some((finding) => finding.category === category)) continue;
      findings.push({
        category,
        score: scores[category],
        ...worstPlace(reading, weighed, headOf(category, channel)),
      });
    }
    return scores;
  };

  const follow = answerFollowers(model);

  function* examining(text: string, channel: Channel): Steps<Sighting> {
    if (channel === "output") return yield* readAnswer(follow(), text);
    const scores = noScores();
    const findings: Finding[] = [];
    const undone = new Set<string>();
    const readings = yield* readInAllWays(text, channel);
    for (const reading of readings) {
      if (reading.text.length >= STEP_CHARACTERS) yield;
      const ruled = ruleFindings(reading);
      const found = [...ruled];
      const judged = isWeighed(reading) ? judge(reading, channel, found) : noScores();
      addRules(judged, ruled, channel);
      if (isShort(reading) && !hasSignOfAttack(reading)) holdBack(judged);
      const isWorse = SAFETY_CATEGORIES.some(
        (category) => judged[category] >= NOTABLE && judged[category] > scores[category],
      );
      if (reading === readings[0] || isWorse)
        for (const disguise of reading.layer.undone) undone.add(disguise);
      raise(scores, judged);
      findings.push(...found);
    }
    const tailed = channel === "user" ? attackByTail(text, readings[0], model.weights, user) : undefined;
    if (tailed !== undefined && tailed.score >= NOTABLE && tailed.score > scores.jailbreak) {
      scores.jailbreak = tailed.score;
      findings.push(tailed);
    }
    for (const { category, kind, weight, start, end } of yield* searchPrivateData(text)) {
      scores[category] = Math.max(scores[category], weight);
      findings.push({ category, kind, score: weight, start, end });
    }
    for (const category of SAFETY_CATEGORIES) scores[category] = Math.round(scores[category] * 1e5) / 1e5;
    return { scores, findings, normalised: [...undone] };
  }

  return { follow, examining, examine: (text, channel) => atOnce(examining(text, channel)) };
}

function ruleFindings({ matches, layer }: Reading): Finding[] {
  return matches.flatMap(({ rule, weight, start, end }) => {
    const place = layer.placeOf(start, end);
    return rule.categories.map((category) => ({ category, score: weight, ...place }));
  });
}

/**
 * Where a rule knows an unsafe request or answer for what it is, it need not convince the model. An attack is one by a
 * rule that is sure of it only if the model has its doubts as well: harmless texts speak of attacks, too.
 */
function addRules(scores: Scores, findings: readonly Finding[], channel: Channel): void {
  for (const { category, score } of findings) {
    if (category !== "injection" && category !== "jailbreak") {
      if (channel !== "document") scores[category] = Math.max(scores[category], score);
    } else if (score >= SURE_RULE && Math.max(scores.injection, scores.jailbreak) >= DOUBT) {
      scores[category] = Math.max(scores[category], SURE_RULE + 0.1 * scores[category]);
    }
  }
}

/** A few words prove nothing by themselves: in bytes, as a word of Chinese has fewer letters. */
function isShort({ text }: Reading): boolean {
  return text.length < SHORT_BYTES && Buffer.byteLength(text) < SHORT_BYTES;
}

function hasSignOfAttack({ matches }: Reading): boolean {
  return matches.some(({ rule: { categories } }) =>
    categories.some((category) => category === "injection" || category === "jailbreak"),
  );
}

function holdBack(scores: Scores): void {
  scores.injection = heldBack(scores.injection);
  scores.jailbreak = heldBack(scores.jailbreak);
}

/** Below what is refused, and still in order. */
function heldBack(score: number): number {
  return score < FREE ? score : FREE + (score - FREE) * SHARE_HELD;
}

function tellAttack(
  model: SafetyModel,
  text: string,
  weighed: Weighed,
  channel: "user" | "document",
  scores: Scores,
): void {
  const attack =
    channel === "user"
      ? attackByUser(model.weights, text, weighed)
      : attackInDocument(model.weights, text, weighed);
  const isJailbreak =
    channel === "user" && (weighed.whole[JAILBREAK] ?? 0) > (weighed.whole[ATTACK_USER] ?? 0);
  // An attack is one or the other, and often enough both: what it rather is not is never refused, and still in order.
  scores.injection = isJailbreak ? heldBack(attack) : attack;
  scores.jailbreak = isJailbreak ? attack : heldBack(attack);
}

function attackByUser(
  { calibrations }: SafetyWeights,
  text: string,
  { whole, worst, windows }: Weighed,
): number {
  const ofWhole = calibrated(calibrations.attack_user, whole[ATTACK_USER] ?? 0);
  const ofScene = calibrated(calibrations.jailbreak, rawOfScene(whole[JAILBREAK] ?? 0, text));
  const ofWindow = windows === 0 ? 0 : calibrated(calibrations.attack_user_window, worst[ATTACK_USER] ?? 0);
  return Math.max(ofWhole, ofScene, ofWindow);
}

/** An order in a document is a sentence or two; what all of a long document is like says nothing about it. */
function attackInDocument({ calibrations }: SafetyWeights, text: string, { worst }: Weighed): number {
  return calibrated(calibrations.attack_document, rawOfDocument(worst[ATTACK_DOCUMENT] ?? 0, text));
}

function tellUnsafe(model: SafetyModel, weighed: Weighed, scores: Scores): void {
  const { calibrations } = model.weights;
  scores.unsafe_intent = calibrated(calibrations.unsafe, weighed.whole[UNSAFE] ?? 0);
  const worst = Math.max(
    weighed.whole[MODERATION] ?? 0,
    weighed.windows > 0 ? (weighed.worst[MODERATION] ?? 0) : Number.NEGATIVE_INFINITY,
  );
  const likeliest = tellModeration(model, worst, weighed.whole, (category, score) => {
    scores[category] = score;
  });
  scores.illicit =
    scores.unsafe_intent * Math.min(1, Math.exp(((weighed.whole[ILLICIT] ?? 0) - likeliest) / 2));
}

function headOf(category: SafetyCategory, channel: Channel): number {
  if (category === "injection" || category === "jailbreak")
    return channel === "user" ? ATTACK_USER : ATTACK_DOCUMENT;
  return category === "unsafe_intent" || category === "illicit" ? UNSAFE : MODERATION;
}

/** Where the model alone is sure, the place is the window or the sentence that makes it so, or all of a short text. */
function worstPlace(reading: Reading, weighed: Weighed, head: number): { start: number; end: number } {
  return inOriginal(reading, weighed.starts[head] ?? 0, weighed.ends[head] ?? 0);
}

function inOriginal(
  { isOriginal, layer }: Reading,
  start: number,
  end: number,
): { start: number; end: number } {
  return isOriginal ? { start, end } : layer.placeOf(start, end);
}

function raise(scores: Scores, others: Readonly<Scores>): void {
  for (const category of SAFETY_CATEGORIES) scores[category] = Math.max(scores[category], others[category]);
}
