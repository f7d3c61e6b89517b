import type { Finding } from "../detector.ts";
import { oddTailOf } from "./adversarial-suffix.ts";
import { calibrated } from "./calibration.ts";
import { headAt } from "./heads.ts";
import type { Reading } from "./readings.ts";
import type { TextWeigher, Weighable } from "./text-weigher.ts";
import type { SafetyWeights } from "./weights.ts";

/** So much of the request before the tail is looked at. */
const REQUEST_MOST = 800;
/** A tail that is so odd makes what is asked for twice as suspicious as one that just is. */
const VERY_ODD = 4;
/** From where on what is asked for makes an odd tail an attack, and how sure that is. */
const UNSAFE_ENOUGH = 0.35;
const SURE = 0.8;
const SUREST = 0.95;

const UNSAFE = headAt("unsafe");

/**
 * An odd tail alone is no attack: people paste all sorts of things. One behind a request for something unsafe is there to
 * have it answered. The request is judged without it, as the tail is made to drown it.
 */
export function attackByTail(
  text: string,
  reading: Reading | undefined,
  weights: SafetyWeights,
  weigher: TextWeigher,
): Finding | undefined {
  const tail = oddTailOf(text, weights);
  if (tail === undefined) return undefined;
  const { whole } = weigher.weigh(requestBefore(tail.start, text, reading));
  const unsafe = calibrated(weights.calibrations.unsafe, whole[UNSAFE] ?? 0);
  const suspicion = Math.min(1, unsafe * (1 + Math.min(1, tail.oddness / VERY_ODD)));
  return { category: "jailbreak", score: sureness(suspicion), start: tail.start, end: tail.end };
}

/** With what the rules found in it, where these read the text as it was given. */
function requestBefore(end: number, text: string, reading: Reading | undefined): Weighable {
  const from = Math.max(0, end - REQUEST_MOST);
  const ruled = reading?.isOriginal === true ? reading : { matches: [], starts: [] };
  const found = ruled.matches.flatMap((match, at) => {
    const start = (ruled.starts[at] ?? 0) - from;
    return start >= 0 && start < end - from ? [{ match, start }] : [];
  });
  return {
    text: text.slice(from, end),
    matches: found.map(({ match }) => match),
    starts: found.map(({ start }) => start),
  };
}

function sureness(suspicion: number): number {
  if (suspicion < UNSAFE_ENOUGH) return (suspicion * SURE) / UNSAFE_ENOUGH;
  return SURE + ((SUREST - SURE) * (suspicion - UNSAFE_ENOUGH)) / (1 - UNSAFE_ENOUGH);
}
