import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";

// The categories are written out, as V8 reads a field by its name several times as fast as by a variable.

/** A number from 0 to 1 for each category. */
export type Scores = Record<SafetyCategory, number>;

export function zeroScores(): Scores {
  return {
    injection: 0,
    jailbreak: 0,
    unsafe_intent: 0,
    hate: 0,
    harassment: 0,
    sexual: 0,
    sexual_minors: 0,
    violence: 0,
    self_harm: 0,
    illicit: 0,
    pii: 0,
    secret: 0,
  };
}

export function clearScores(scores: Scores): void {
  scores.injection = 0;
  scores.jailbreak = 0;
  scores.unsafe_intent = 0;
  scores.hate = 0;
  scores.harassment = 0;
  scores.sexual = 0;
  scores.sexual_minors = 0;
  scores.violence = 0;
  scores.self_harm = 0;
  scores.illicit = 0;
  scores.pii = 0;
  scores.secret = 0;
}

/** Raises each score to that of the other scores, where they are higher. */
export function raiseScores(scores: Scores, others: Readonly<Scores>): void {
  if (others.injection > scores.injection) scores.injection = others.injection;
  if (others.jailbreak > scores.jailbreak) scores.jailbreak = others.jailbreak;
  if (others.unsafe_intent > scores.unsafe_intent) scores.unsafe_intent = others.unsafe_intent;
  if (others.hate > scores.hate) scores.hate = others.hate;
  if (others.harassment > scores.harassment) scores.harassment = others.harassment;
  if (others.sexual > scores.sexual) scores.sexual = others.sexual;
  if (others.sexual_minors > scores.sexual_minors) scores.sexual_minors = others.sexual_minors;
  if (others.violence > scores.violence) scores.violence = others.violence;
  if (others.self_harm > scores.self_harm) scores.self_harm = others.self_harm;
  if (others.illicit > scores.illicit) scores.illicit = others.illicit;
  if (others.pii > scores.pii) scores.pii = others.pii;
  if (others.secret > scores.secret) scores.secret = others.secret;
}

/** Rounds each score to five decimals. Here and not by `roundScore`, whose result V8 boxes where it does not inline the call. */
export function roundScores(scores: Scores): void {
  scores.injection = Math.round(scores.injection * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.jailbreak = Math.round(scores.jailbreak * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.unsafe_intent = Math.round(scores.unsafe_intent * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.hate = Math.round(scores.hate * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.harassment = Math.round(scores.harassment * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.sexual = Math.round(scores.sexual * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.sexual_minors = Math.round(scores.sexual_minors * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.violence = Math.round(scores.violence * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.self_harm = Math.round(scores.self_harm * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.illicit = Math.round(scores.illicit * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.pii = Math.round(scores.pii * ROUNDING_SCALE) / ROUNDING_SCALE;
  scores.secret = Math.round(scores.secret * ROUNDING_SCALE) / ROUNDING_SCALE;
}

export function roundScore(score: number): number {
  return Math.round(score * ROUNDING_SCALE) / ROUNDING_SCALE;
}

const ROUNDING_SCALE = 1e5;

/** Whether each score is below the limit of its category. */
export function areBelow(scores: Readonly<Scores>, limits: Readonly<Scores>): boolean {
  return (
    scores.injection < limits.injection &&
    scores.jailbreak < limits.jailbreak &&
    scores.unsafe_intent < limits.unsafe_intent &&
    scores.hate < limits.hate &&
    scores.harassment < limits.harassment &&
    scores.sexual < limits.sexual &&
    scores.sexual_minors < limits.sexual_minors &&
    scores.violence < limits.violence &&
    scores.self_harm < limits.self_harm &&
    scores.illicit < limits.illicit &&
    scores.pii < limits.pii &&
    scores.secret < limits.secret
  );
}
