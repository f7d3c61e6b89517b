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

/** Rounds each score to five decimals. */
export function roundScores(scores: Scores): void {
  scores.injection = roundScore(scores.injection);
  scores.jailbreak = roundScore(scores.jailbreak);
  scores.unsafe_intent = roundScore(scores.unsafe_intent);
  scores.hate = roundScore(scores.hate);
  scores.harassment = roundScore(scores.harassment);
  scores.sexual = roundScore(scores.sexual);
  scores.sexual_minors = roundScore(scores.sexual_minors);
  scores.violence = roundScore(scores.violence);
  scores.self_harm = roundScore(scores.self_harm);
  scores.illicit = roundScore(scores.illicit);
  scores.pii = roundScore(scores.pii);
  scores.secret = roundScore(scores.secret);
}

export function roundScore(score: number): number {
  return Math.round(score * 1e5) / 1e5;
}

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
