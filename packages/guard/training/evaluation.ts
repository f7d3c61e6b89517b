import type { Detector } from "../src/detector.ts";
import { actionFor, BALANCED } from "../src/policy/policy.ts";
import { raiseScores, zeroScores } from "../src/policy/scores.ts";
import { evaluatedTexts } from "./evaluated-texts.ts";
import type { Row } from "./rows.ts";

/** A row with the highest attack score, the highest score of another unsafe category, and the action. */
export interface ScoredRow {
  readonly row: Row;
  readonly attack: number;
  readonly unsafe: number;
  readonly refused: boolean;
  readonly flagged: boolean;
}

const PRIVATE = new Set(["pii", "secret"]);
const ATTACKS = new Set(["injection", "jailbreak"]);

export function evaluateRows(detector: Detector, rows: readonly Row[]): ScoredRow[] {
  return rows.map((row) => {
    const scores = zeroScores();
    for (const text of evaluatedTexts(row)) raiseScores(scores, detector.detect(text, row.channel).scores);
    let [attack, unsafe, refused, flagged] = [0, 0, false, false];
    for (const [category, score] of Object.entries(scores)) {
      if (PRIVATE.has(category)) continue;
      if (ATTACKS.has(category)) attack = Math.max(attack, score);
      else unsafe = Math.max(unsafe, score);
    }
    for (const category of [
      "injection",
      "jailbreak",
      "unsafe_intent",
      "hate",
      "violence",
      "self_harm",
      "illicit",
      "harassment",
      "sexual",
      "sexual_minors",
    ] as const) {
      const action = actionFor(BALANCED, category, scores[category]);
      refused ||= action === "refuse";
      flagged ||= action !== "allow";
    }
    return { row, attack, unsafe, refused, flagged };
  });
}

interface EvaluationMetrics {
  readonly name: string;
  readonly bad: number;
  readonly good: number;
  readonly auc: number;
  readonly auprc: number;
  readonly recallAt1: number;
  readonly f1: number;
  readonly refusedBad: number;
  readonly flaggedBad: number;
  readonly acceptedGood: number;
  readonly unflaggedGood: number;
}

/** All rows together, and then each category of unsafe rows against all harmless ones. */
export function evaluate(scored: readonly ScoredRow[]): EvaluationMetrics[] {
  const categories = new Set(scored.filter(({ row }) => row.label !== "benign").map(({ row }) => row.category));
  const all = metricsOf("all", scored);
  if (categories.size < 2) return [all];
  return [
    all,
    ...[...categories].sort().map((category) =>
      metricsOf(
        category,
        scored.filter(({ row }) => row.label === "benign" || row.category === category),
      ),
    ),
  ];
}

function metricsOf(name: string, scored: readonly ScoredRow[]): EvaluationMetrics {
  const bad = scored.filter(({ row }) => row.label !== "benign");
  const good = scored.filter(({ row }) => row.label === "benign");
  const isAttack = bad.some(({ row }) => row.label !== "unsafe");
  const scoreOf = ({ attack, unsafe }: ScoredRow) => (isAttack ? attack : unsafe);
  const [badScores, goodScores] = [bad.map(scoreOf), good.map(scoreOf)];
  const share = (of: readonly ScoredRow[], test: (one: ScoredRow) => boolean) => of.filter(test).length / of.length;
  return {
    name,
    bad: bad.length,
    good: good.length,
    auc: auc(badScores, goodScores),
    auprc: averagePrecision(badScores, goodScores),
    recallAt1: shareAbove(badScores, thresholdAt(goodScores, 0.01)),
    f1: bestF1(badScores, goodScores),
    refusedBad: share(bad, ({ refused }) => refused),
    flaggedBad: share(bad, ({ flagged }) => flagged),
    acceptedGood: share(good, ({ refused }) => !refused),
    unflaggedGood: share(good, ({ flagged }) => !flagged),
  };
}

const METRIC_COLUMNS: readonly (readonly [string, (evaluationMetrics: EvaluationMetrics) => string])[] = [
  ["", ({ name }) => name],
  ["bad", ({ bad }) => String(bad)],
  ["good", ({ good }) => String(good)],
  ["AUC", (evaluationMetrics) => rounded(evaluationMetrics.auc)],
  ["AUPRC", (evaluationMetrics) => rounded(evaluationMetrics.auprc)],
  ["recall at 1 %", (evaluationMetrics) => rounded(evaluationMetrics.recallAt1)],
  ["best F1", (evaluationMetrics) => rounded(evaluationMetrics.f1)],
  ["bad refused", (evaluationMetrics) => rounded(evaluationMetrics.refusedBad)],
  ["bad flagged", (evaluationMetrics) => rounded(evaluationMetrics.flaggedBad)],
  ["good accepted", (evaluationMetrics) => rounded(evaluationMetrics.acceptedGood)],
  ["good unflagged", (evaluationMetrics) => rounded(evaluationMetrics.unflaggedGood)],
];

export function metricsTable(evaluationMetrics: readonly EvaluationMetrics[]): string {
  const lines = [
    METRIC_COLUMNS.map(([title]) => title),
    METRIC_COLUMNS.map(() => "-"),
    ...evaluationMetrics.map((row) => METRIC_COLUMNS.map(([, format]) => format(row))),
  ];
  const widths = METRIC_COLUMNS.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `| ${line.map((cell, at) => (cell === "-" ? "-".repeat(widths[at] ?? 1) : cell.padEnd(widths[at] ?? 0))).join(" | ")} |`,
    )
    .join("\n");
}

function rounded(value: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(3);
}

// Metrics.

/** The probability that an unsafe text scores higher than a harmless one; ties count half. */
export function auc(bad: readonly number[], good: readonly number[]): number {
  const all = [...bad.map((score) => ({ score, isBad: true })), ...good.map((score) => ({ score, isBad: false }))];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.score === all[from]?.score) to++;
    const rank = (from + to + 1) / 2;
    for (let at = from; at < to; at++) if (all[at]?.isBad === true) ranks += rank;
    from = to;
  }
  return (ranks - (bad.length * (bad.length + 1)) / 2) / (bad.length * good.length);
}

/** The mean precision over all thresholds at which an unsafe text is found. */
export function averagePrecision(bad: readonly number[], good: readonly number[]): number {
  const all = [...bad.map((score) => ({ score, isBad: true })), ...good.map((score) => ({ score, isBad: false }))];
  all.sort((a, b) => b.score - a.score);
  let found = 0;
  let sum = 0;
  all.forEach(({ isBad }, at) => {
    if (!isBad) return;
    found++;
    sum += found / (at + 1);
  });
  return sum / bad.length;
}

/** The score that this share of harmless texts exceeds. */
export function thresholdAt(good: readonly number[], share: number): number {
  const sorted = good.toSorted((a, b) => b - a);
  return sorted[Math.floor(share * sorted.length)] ?? Number.NEGATIVE_INFINITY;
}

export function shareAbove(scores: readonly number[], threshold: number): number {
  return scores.length === 0 ? Number.NaN : scores.filter((score) => score > threshold).length / scores.length;
}

/** The maximum F1 over all thresholds. */
export function bestF1(bad: readonly number[], good: readonly number[]): number {
  const all = [...bad.map((score) => ({ score, isBad: true })), ...good.map((score) => ({ score, isBad: false }))];
  all.sort((a, b) => b.score - a.score);
  let found = 0;
  let best = 0;
  all.forEach(({ isBad }, at) => {
    if (isBad) found++;
    best = Math.max(best, (2 * found) / (at + 1 + bad.length));
  });
  return best;
}

// The detection rate by false positive rate.

const FALSE_POSITIVE_RATES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const BAR_CHARACTERS = 40;

function curvePoints(scored: readonly ScoredRow[]): readonly (readonly [mistaken: number, found: number])[] {
  const worst = ({ attack, unsafe }: ScoredRow) => Math.max(attack, unsafe);
  const bad = scored.filter(({ row }) => row.label !== "benign").map(worst);
  const good = scored.filter(({ row }) => row.label === "benign").map(worst);
  if (bad.length === 0 || good.length === 0) return [];
  return FALSE_POSITIVE_RATES.map((share) => [share, shareAbove(bad, thresholdAt(good, share))] as const);
}

export function curveAsText(scored: readonly ScoredRow[]): string {
  const lines = curvePoints(scored).map(
    ([mistaken, found]) =>
      `${`${(100 * mistaken).toFixed(1)} %`.padStart(7)} ${"#".repeat(Math.round(found * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS)} ${found.toFixed(2)}`,
  );
  return ["harmless mistaken, and bad found at that", ...lines].join("\n");
}

export function curveAsSvg(scored: readonly ScoredRow[]): string {
  const line = curvePoints(scored)
    .map(
      ([mistaken, found]) =>
        `${(40 + ((Math.log10(mistaken) + 3) / 3) * 440).toFixed(1)},${(280 - found * 250).toFixed(1)}`,
    )
    .join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 320" font-family="sans-serif" font-size="11">
<path d="M40 30V280H480" fill="none" stroke="#888"/>
<polyline points="${line}" fill="none" stroke="#2563eb" stroke-width="2"/>
<text x="40" y="300">0.1 %</text><text x="325" y="300">10 %</text><text x="180" y="315">harmless texts mistaken</text><text x="5" y="25">bad texts found</text>
</svg>
`;
}

// Intervals.

/** A measured value and its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const NORMAL_95 = 1.96;

/** The share of texts, with the interval of Wilson. */
export function shareEstimate(found: number, size: number): Estimate {
  const value = found / size;
  const squared = NORMAL_95 ** 2 / size;
  const middle = (value + squared / 2) / (1 + squared);
  const reach = (NORMAL_95 * Math.sqrt((value * (1 - value)) / size + squared / (4 * size))) / (1 + squared);
  return { value, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}

/** The AUC, with the interval of Hanley and McNeil. */
export function aucEstimate(bad: readonly number[], good: readonly number[]): Estimate {
  const value = auc(bad, good);
  const twoBad = value / (2 - value);
  const twoGood = (2 * value ** 2) / (1 + value);
  const variance =
    (value * (1 - value) + (bad.length - 1) * (twoBad - value ** 2) + (good.length - 1) * (twoGood - value ** 2)) /
    (bad.length * good.length);
  const reach = NORMAL_95 * Math.sqrt(variance);
  return { value, low: Math.max(0, value - reach), high: Math.min(1, value + reach) };
}

/** The mean of several sources, with an interval for the mean of others like them. */
export function meanEstimate(values: readonly number[]): Estimate {
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const variance = values.reduce((sum, one) => sum + (one - value) ** 2, 0) / Math.max(1, values.length - 1);
  const reach = NORMAL_95 * Math.sqrt(variance / values.length);
  return { value, low: Math.max(0, value - reach), high: Math.min(1, value + reach) };
}
