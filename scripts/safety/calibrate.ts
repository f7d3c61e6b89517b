import { readFile, writeFile } from "node:fs/promises";
import { type Calibration, calibrated, isCalibration } from "../../server/src/safety/model/calibration.ts";
import { headAt, type Question } from "../../server/src/safety/model/heads.ts";
import type { HeldOut } from "./held-out.ts";
import type { Row } from "./rows.ts";

export type Calibrations = Readonly<Record<Question, Calibration>>;

/** What share of harmless texts may score higher, and the score that this stands for. */
const KNOTS: readonly (readonly [share: number, score: number])[] = [
  [0.7, 0.02],
  [0.4, 0.06],
  [0.2, 0.18],
  [0.1, 0.33],
  [0.05, 0.5],
  [0.02, 0.68],
  [0.01, 0.8],
  [0.003, 0.9],
  [0.001, 0.95],
];
/** An attack is refused later than one in a hundred harmless texts would allow, as new texts are stranger than those known here. */
const ATTACK_KNOTS = refusingAt(0.006);
/** Long texts are rarer, and one window of theirs that is taken for an attack is refused all the same. */
const WINDOW_KNOTS = refusingAt(0.008);
/** Each kind of document that is new to the model is strange to it, much more so than to the one that is shipped and knows them all. */
const DOCUMENT_KNOTS: typeof KNOTS = [
  [0.7, 0.02],
  [0.4, 0.06],
  [0.2, 0.18],
  [0.14, 0.3],
  [0.08, 0.5],
  [0.04, 0.8],
  [0.01, 0.9],
  [0.004, 0.95],
];
/** For what is only reported as a rule: refusals begin at 0.9. */
const RARE_KNOTS = KNOTS.map(([share, score]) =>
  share === 0.01
    ? ([share, 0.72] as const)
    : share === 0.003
      ? ([share, 0.82] as const)
      : share === 0.001
        ? ([share, 0.9] as const)
        : ([share, score] as const),
);
/** Shorter requests have no windows: what these mean is told by those that have. */
const WINDOWED = 220;
function refusingAt(share: number): typeof KNOTS {
  return KNOTS.map(([its, score]) => (score === 0.8 ? [share, score] : [its, score]));
}

/** A source counts as one, however many rows it has; smaller ones than this say too little. */
const ROWS_LEAST = 80;

/** Harmless texts of one kind, and how much more of them may be mistaken than of everyday ones. */
interface Pool {
  readonly allowance: number;
  readonly holds: (row: Row) => boolean;
}

const EVERYDAY =
  /clinc|natural-questions|GPTeacher|nl2bash|FuzzyAI|self-instruct|dstc8|T0|xquad|glaive|neuralchemy/;
const everyday: Pool = {
  allowance: 1,
  holds: ({ label, channel, source, category }) =>
    label === "benign" && channel === "user" && EVERYDAY.test(`${source} ${category}`),
};
const triggering: Pool = {
  allowance: 12,
  holds: ({ label, channel, category }) =>
    label === "benign" && channel === "user" && /trigger|persona|roleplay|security/.test(category),
};
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

const POOLS: Readonly<Record<Question, readonly Pool[]>> = {
  attack_user: [everyday, triggering],
  attack_user_window: [everyday, triggering],
  attack_document: [documents],
  unsafe: [everyday, sensitive],
  moderation: [everyday, answers],
};

/** What raw scores mean, by how many harmless texts of sources that were kept from the training score higher. */
export function calibrate(heldOut: readonly HeldOut[]): Calibrations {
  const of = (question: Question, knots = KNOTS) => calibrateOne(heldOut, question, knots);
  return {
    attack_user: of("attack_user", ATTACK_KNOTS),
    attack_user_window: of("attack_user_window", WINDOW_KNOTS),
    attack_document: of("attack_document", DOCUMENT_KNOTS),
    unsafe: of("unsafe", RARE_KNOTS),
    moderation: of("moderation", RARE_KNOTS),
  };
}

function calibrateOne(heldOut: readonly HeldOut[], question: Question, knots: typeof KNOTS): Calibration {
  const isWindow = question !== "attack_user" && question !== "unsafe";
  const head = headAt(question === "attack_user_window" ? "attack_user" : question);
  const pools = POOLS[question].map(({ allowance, holds }) => {
    const sources = new Map<string, number[]>();
    for (const { row, whole, worst } of heldOut) {
      if (!holds(row) || (question === "attack_user_window" && row.text.length < WINDOWED)) continue;
      const name = /tech_doc|code_/.test(row.category)
        ? row.category
        : row.source.startsWith("ours")
          ? `${row.source} ${row.category}`
          : (row.source.split(" ")[0] ?? "");
      sources.set(name, [...(sources.get(name) ?? []), (isWindow ? worst : whole)[head] ?? 0]);
    }
    const large = [...sources.values()].filter((scores) => scores.length >= ROWS_LEAST);
    return { allowance, sources: large.map((scores) => Float64Array.from(scores).sort()) };
  });
  const candidates = Float64Array.from(
    pools.flatMap(({ sources }) => sources.flatMap((scores) => [...scores])),
  ).sort();
  const shareAbove = (threshold: number) =>
    Math.max(...pools.map(({ allowance, sources }) => meanShare(sources, threshold) / allowance));
  const raw: number[] = [];
  const score: number[] = [];
  for (const [share, meaning] of knots) {
    const found = lowestWith(candidates, (threshold) => shareAbove(threshold) <= share);
    if (raw.length > 0 && found <= (raw.at(-1) ?? 0)) continue;
    raw.push(Math.round(found * 1e4) / 1e4);
    score.push(meaning);
  }
  return { raw, score };
}

function meanShare(sources: readonly Float64Array[], threshold: number): number {
  const shares = sources.map((scores) => (scores.length - upTo(scores, threshold)) / scores.length);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** How many are not above a threshold. */
function upTo(sorted: Float64Array, threshold: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lowestWith(sorted: Float64Array, fits: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(sorted[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return sorted[low] ?? 0;
}

/** The score that a held-out row gets for a head, of the whole or of its worst window. */
export function scoreOf(
  { whole, worst }: Pick<HeldOut, "whole" | "worst">,
  head: "attack_user" | "attack_document" | "unsafe" | "moderation",
  calibrations: Calibrations,
): number {
  const at = headAt(head);
  const ofWhole = calibrated(calibrations[head], whole[at] ?? 0);
  if (head === "unsafe") return ofWhole;
  if (head === "attack_document") return calibrated(calibrations.attack_document, worst[at] ?? 0);
  const window = head === "moderation" ? calibrations.moderation : calibrations.attack_user_window;
  return Math.max(ofWhole, calibrated(window, worst[at] ?? 0));
}

export async function writeCalibrations(file: string, calibrations: Calibrations): Promise<void> {
  await writeFile(file, `${JSON.stringify(calibrations, undefined, 2)}\n`);
}

export async function readCalibrations(file: string): Promise<Calibrations> {
  const read: Calibrations = JSON.parse(await readFile(file, "utf8"));
  if (!Object.values(read).every(isCalibration))
    throw new Error(`${file} holds a calibration that does not rise.`);
  return read;
}
