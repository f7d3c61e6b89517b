import type { Finding } from "../detector.ts";
import { findUnusualSuffix } from "./adversarial-suffix.ts";
import { applyCalibration } from "./calibration.ts";
import { classIndex } from "./heads.ts";
import type { MatchedText } from "./readings.ts";
import type { ScorableText, TextScorer } from "./text-weigher.ts";
import type { SafetyWeights } from "./weights.ts";

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
export function detectSuffixAttack(
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
  return (
    CONFIDENCE_MIN + ((CONFIDENCE_MAX - CONFIDENCE_MIN) * (suspicion - SUSPICION_MIN)) / (1 - SUSPICION_MIN)
  );
}
