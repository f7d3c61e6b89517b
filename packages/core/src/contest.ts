import type { Strategy } from "./inference.ts";
import { NANO_PER_CREDIT } from "./money.ts";

/** In what a strategy compares: the first two are better the less there is of them. */
export const MEASURES = ["credits", "ms", "quality", "balance"] as const;
export type Measure = (typeof MEASURES)[number];

const MEASURE_OF: Readonly<Record<Strategy, Measure>> = {
  "cost-optimized": "credits",
  "speed-optimized": "ms",
  "quality-optimized": "quality",
  hybrid: "balance",
};

/** One of those that competed, with what the strategy compared. */
export interface ScoredModel {
  /** `provider/name` */
  readonly model: string;
  readonly tier: number;
  /** In the strategy's measure. */
  readonly score: number;
}

/** Who came next, and by how much the first was better, in the strategy's own measure. */
export interface WinningMargin {
  readonly measure: Measure;
  readonly runnerUp: string | undefined;
  /** Below zero where something else decided: the floor, a near tie, a word that only one lists, a session or a draw. */
  readonly margin: number | undefined;
}

/** A score as it is shown: costs in credits, all others as they are, to so many decimals as mean something. */
export function displayScore(strategy: Strategy, score: number): number {
  if (MEASURE_OF[strategy] === "credits") return Math.round(score) / Number(NANO_PER_CREDIT);
  return Math.round(score * 10_000) / 10_000;
}

/** How the first of some candidates came to be the first. Only those of its tier competed with it. */
export function winningMarginOf(
  strategy: Strategy,
  [first, ...others]: readonly ScoredModel[],
): WinningMargin {
  const measure = MEASURE_OF[strategy];
  const second = others.find(({ tier }) => tier === first?.tier);
  if (first === undefined || second === undefined) return { measure, runnerUp: undefined, margin: undefined };
  const ahead = first.score - second.score;
  const margin = measure === "credits" || measure === "ms" ? -ahead : ahead;
  // Nine decimals are those of a nano-credit; what differs behind them is the arithmetic of doubles.
  return { measure, runnerUp: second.model, margin: Math.round(margin * 1e9) / 1e9 + 0 };
}
