import type { Detector } from "../src/detector.ts";
import { actionFor, BALANCED } from "../src/policy/policy.ts";
import { auc, averagePrecision, bestF1, shareAbove, thresholdAt } from "./measures.ts";
import type { Row } from "./rows.ts";

/** A row with what the detector makes of it: how sure it is of an attack, of anything else unsafe, and what follows. */
export interface Judged {
  readonly row: Row;
  readonly attack: number;
  readonly unsafe: number;
  readonly refused: boolean;
  readonly flagged: boolean;
}

const PRIVATE = new Set(["pii", "secret"]);
const ATTACKS = new Set(["injection", "jailbreak"]);

export function evaluateRows(detector: Detector, rows: readonly Row[]): Judged[] {
  return rows.map((row) => {
    const { scores } = detector.detect(row.text, row.channel);
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

export interface EvaluationMetrics {
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

/** All rows together, and then each category of bad ones against all that are good. */
export function evaluate(judged: readonly Judged[]): EvaluationMetrics[] {
  const categories = new Set(
    judged.filter(({ row }) => row.label !== "benign").map(({ row }) => row.category),
  );
  const all = metricsOf("all", judged);
  if (categories.size < 2) return [all];
  return [
    all,
    ...[...categories].sort().map((category) =>
      metricsOf(
        category,
        judged.filter(({ row }) => row.label === "benign" || row.category === category),
      ),
    ),
  ];
}

function metricsOf(name: string, judged: readonly Judged[]): EvaluationMetrics {
  const bad = judged.filter(({ row }) => row.label !== "benign");
  const good = judged.filter(({ row }) => row.label === "benign");
  const isAttack = bad.some(({ row }) => row.label !== "unsafe");
  const scoreOf = ({ attack, unsafe }: Judged) => (isAttack ? attack : unsafe);
  const [badScores, goodScores] = [bad.map(scoreOf), good.map(scoreOf)];
  const share = (of: readonly Judged[], test: (one: Judged) => boolean) => of.filter(test).length / of.length;
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
    ...evaluationMetrics.map((row) => METRIC_COLUMNS.map(([, tell]) => tell(row))),
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
