import { readFile, writeFile } from "node:fs/promises";
import { type Calibration, type CalibrationName, isValidCalibration } from "../src/classifier/classes.ts";
import type { HeldOut } from "./cross-validation.ts";
import { isOwnData, type Row } from "./rows.ts";

export type Calibrations = Readonly<Record<CalibrationName, Calibration>>;

/** The share of harmless texts that may score higher, and the score assigned to it. */
type Knots = readonly (readonly [share: number, score: number])[];

const LOW: Knots = [
  [0.7, 0.02],
  [0.4, 0.06],
  [0.2, 0.18],
  [0.1, 0.33],
  [0.05, 0.5],
];
/** Refused from 0.8 on: far stricter than one in a hundred harmless texts, as new texts differ more than these. */
const ATTACK_KNOTS: Knots = [...LOW, [0.012, 0.68], [0.0045, 0.79], [0.001, 0.9], [0.0003, 0.95]];
/** Of long texts only, which are rarer. */
const LONG_TEXT_KNOTS: Knots = [...LOW, [0.02, 0.68], [0.008, 0.79], [0.002, 0.9], [0.0006, 0.95]];
/** The model scores each kind of document that is new to it too high; the shipped one was trained on all of them. */
const DOCUMENT_KNOTS: Knots = [
  [0.8, 0.02],
  [0.5, 0.06],
  [0.3, 0.18],
  [0.2, 0.33],
  [0.11, 0.5],
  [0.025, 0.8],
  [0.012, 0.9],
  [0.004, 0.95],
];
/** For categories that are mostly reported: refusals begin at 0.9. */
const UNSAFE_KNOTS: Knots = [...LOW, [0.02, 0.68], [0.01, 0.72], [0.003, 0.82], [0.0003, 0.9]];
const MODERATION_KNOTS: Knots = [...LOW, [0.02, 0.68], [0.01, 0.72], [0.003, 0.82], [0.001, 0.9]];
/** Every source counts the same, however many rows it has; smaller sources are ignored. */
const ROWS_MIN = 30;

/** Harmless texts of one kind, and how many more false positives they may have than everyday texts. */
interface Pool {
  readonly allowance: number;
  readonly holds: (row: Row) => boolean;
}

export const EVERYDAY =
  /clinc|natural-questions|GPTeacher|nl2bash|FuzzyAI|self-instruct|dstc8|T0|xquad|glaive|neuralchemy/;
const everyday: Pool = {
  allowance: 1,
  holds: ({ label, channel, source, category }) =>
    label === "benign" && channel === "user" && EVERYDAY.test(`${source} ${category}`),
};
const triggering = (allowance: number): Pool => ({
  allowance,
  holds: ({ label, channel, category }) =>
    label === "benign" && channel === "user" && /trigger|roleplay|security/.test(category),
});
/** Personas, and the prompts of applications and agents. */
const prompts = (allowance: number): Pool => ({
  allowance,
  holds: ({ label, channel, category }) =>
    label === "benign" && channel === "user" && /persona|prompt|wrapper/.test(category),
});
const sensitive: Pool = {
  allowance: 8,
  holds: ({ label, channel, category }) =>
    label === "benign" && channel === "user" && /sensitive|contrast_topic|security/.test(category),
};
const documents: Pool = {
  allowance: 1,
  holds: ({ label, channel }) => label === "benign" && channel === "document",
};
const answers: Pool = {
  allowance: 4,
  holds: ({ label, channel }) => label === "benign" && channel === "output",
};

const POOLS: Readonly<Record<CalibrationName, readonly Pool[]>> = {
  attack_user: [everyday, triggering(2), prompts(2)],
  attack_user_window: [everyday, triggering(1.2), prompts(1)],
  jailbreak: [everyday, triggering(1.2), prompts(1)],
  attack_document: [documents],
  unsafe: [everyday, sensitive],
  moderation: [everyday, answers],
};

/** Calibrates raw scores by the share of harmless texts from held-out sources that score higher. */
export function calibrate(heldOut: readonly HeldOut[]): Calibrations {
  const of = (calibrationName: CalibrationName, knots: Knots) => calibrateScore(heldOut, calibrationName, knots);
  return {
    attack_user: of("attack_user", ATTACK_KNOTS),
    attack_user_window: of("attack_user_window", LONG_TEXT_KNOTS),
    jailbreak: of("jailbreak", LONG_TEXT_KNOTS),
    attack_document: of("attack_document", DOCUMENT_KNOTS),
    unsafe: of("unsafe", UNSAFE_KNOTS),
    moderation: of("moderation", MODERATION_KNOTS),
  };
}

function calibrateScore(heldOut: readonly HeldOut[], calibrationName: CalibrationName, knots: Knots): Calibration {
  const pools = POOLS[calibrationName].map(({ allowance, holds }) => {
    const sources = new Map<string, number[]>();
    for (const { row, raw } of heldOut) {
      const rawScore = raw[calibrationName];
      // The lowest there is: the score does not apply to such a text.
      if (!holds(row) || isOwnOrFragment(row) || rawScore === Number.NEGATIVE_INFINITY) continue;
      const name = /tech_doc|code_/.test(row.category)
        ? row.category
        : row.source.startsWith("ours")
          ? `${row.source} ${row.category}`
          : (row.source.split(" ")[0] ?? "");
      const scores = sources.get(name) ?? [];
      scores.push(rawScore);
      sources.set(name, scores);
    }
    const large = [...sources.values()].filter((scores) => scores.length >= ROWS_MIN);
    return { allowance, sources: large.map((scores) => Float64Array.from(scores).sort()) };
  });
  if (pools.some(({ sources }) => sources.length === 0))
    throw new Error(`Too few texts were kept from the training to calibrate ${calibrationName}.`);
  const candidates = Float64Array.from(pools.flatMap(({ sources }) => sources.flatMap((scores) => [...scores]))).sort();
  const shareAbove = (threshold: number) =>
    Math.max(...pools.map(({ allowance, sources }) => meanShare(sources, threshold) / allowance));
  const raw: number[] = [];
  const score: number[] = [];
  for (const [share, meaning] of knots) {
    const found = lowestFitting(candidates, (threshold) => shareAbove(threshold) <= share);
    if (raw.length > 0 && found <= (raw.at(-1) ?? 0)) continue;
    raw.push(Math.round(found * 1e4) / 1e4);
    score.push(meaning);
  }
  return { raw, score };
}

function meanShare(sources: readonly Float64Array[], threshold: number): number {
  const shares = sources.map((scores) => (scores.length - countUpTo(scores, threshold)) / scores.length);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** The number of values up to a threshold, inclusive. */
function countUpTo(sorted: Float64Array, threshold: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lowestFitting(sorted: Float64Array, fits: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(sorted[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return sorted[low] ?? 0;
}

export async function writeCalibrations(file: string, calibrations: Calibrations): Promise<void> {
  await writeFile(file, `${JSON.stringify(calibrations, undefined, 2)}\n`);
}

export async function readCalibrations(file: string): Promise<Calibrations> {
  const read: Calibrations = JSON.parse(await readFile(file, "utf8"));
  if (!Object.values(read).every(isValidCalibration))
    throw new Error(`${file} holds a calibration that does not rise.`);
  return read;
}

/** Own texts are excluded, as the model without them says nothing about the shipped one, and so are fragments. */
function isOwnOrFragment(row: Row): boolean {
  return isOwnData(row) || row.category === "beginning";
}
