import { CLASS_COUNT, CLASSES, type ClassName } from "../src/classifier/classes.ts";
import { FEATURE_BUCKETS, type Vocabulary } from "../src/classifier/feature-scanner.ts";
import type { SafetyWeights } from "../src/classifier/safety-model.ts";
import { ZERO_OFFSET } from "../src/classifier/sliding-window.ts";
import { SCORED_RULE_NAMES } from "../src/rules/rule-sets.ts";
import type { Examples } from "./examples.ts";
import { fitLogisticRegression, type TrainingSettings } from "./logistic-regression.ts";
import { isOwnData, type Row } from "./rows.ts";

export const TRAINING_SETTINGS: TrainingSettings = {
  turns: 6,
  batches: 20,
  learningRate: 0.08,
  denseLearningRate: 0.04,
  weightDecay: 3e-6,
  denseWeightDecay: 4e-5,
};

/** Beyond so many times its spread a number of a column is cut, so that a few large ones don't blur the others. */
const CLIP_DEVIATIONS = 8;

/** What the heads are taught; what their scores mean, and what an odd tail is, is learnt apart. */
export type ClassWeights = Omit<SafetyWeights, "calibrations" | "pairs" | "tail">;

/** Teaches the model with all rows but those that are left out. */
export function fitWeights(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
  isTaught: (row: number) => boolean,
  settings = TRAINING_SETTINGS,
): ClassWeights {
  const weight = balanceExamples(examples, rows, isTaught);
  const { table, denseWeights: figures } = fitLogisticRegression(examples, weight, settings);
  return { ...vocabulary, rules: SCORED_RULE_NAMES, ...quantise(table), denseWeights: figures };
}

/** The table as one of small numbers. Figures stay as they are: rules blur easily. */
function quantise(from: Float32Array): Pick<SafetyWeights, "table" | "scales"> {
  const table = new Uint8Array(FEATURE_BUCKETS * CLASS_COUNT);
  const scales = new Float32Array(CLASS_COUNT);
  for (let column = 0; column < CLASS_COUNT; column++) {
    let squares = 0;
    let largest = 0;
    for (let cell = column; cell < from.length; cell += CLASS_COUNT) {
      const value = Math.abs(from[cell] ?? 0);
      squares += value * value;
      largest = Math.max(largest, value);
    }
    const scale = Math.min(largest, CLIP_DEVIATIONS * Math.sqrt(squares / FEATURE_BUCKETS)) / 127 || 1;
    scales[column] = scale;
    for (let cell = column; cell < from.length; cell += CLASS_COUNT) {
      const small = Math.round((from[cell] ?? 0) / scale);
      table[cell] = ZERO_OFFSET + Math.max(-127, Math.min(127, small));
    }
  }
  return { table, scales };
}

/** A source that has four times the rows counts about twice as much; for attacks by users, whose sources are very unequal, less. */
const DAMPING = 0.5;
const USER_DAMPING = 0.75;
/** Our own texts look least like each other: they count for so much of all that speaks for a head, and against it. */
const OWN_SHARE = 0.85;
const OWN_SHARES: Partial<Record<ClassName, number>> = {
  attack_user: 0.78,
  jailbreak: 0.78,
  attack_document: 0.92,
};
const USER_ATTACK_CLASSES: ReadonlySet<ClassName> = new Set(["attack_user", "jailbreak"]);
/** Harmless texts of ours that look like attacks count more. */
const LOOK_ALIKE =
  /^(?:trigger_words|contrast_trigger|roleplay|llm_security_question|format_instructions|structured|elaborate_frame|adversarial_looking|persuasion|quoted_attack_text|disguised)$/;
const LOOK_ALIKE_WEIGHT = 2;
const EXAMPLE_WEIGHT_MAX = 8;
/** All that speaks for a head counts so much of what speaks against it. */
const POSITIVE_SHARE = 0.6;

const classCount = CLASSES.length;

/** How much each example counts for each head, such that no source drowns the others; those that `isTaught` leaves out count nothing. */
function balanceExamples(examples: Examples, rows: readonly Row[], isTaught: (row: number) => boolean): Float32Array {
  const weight = new Float32Array(examples.size * classCount);
  CLASSES.forEach((head, at) => {
    balanceClass(examples, rows, isTaught, head, at, weight);
  });
  return weight;
}

function balanceClass(
  { size, row, wanted, weight }: Examples,
  rows: readonly Row[],
  isTaught: (row: number) => boolean,
  head: ClassName,
  column: number,
  balancedWeight: Float32Array,
): void {
  const isUserAttack = USER_ATTACK_CLASSES.has(head);
  const counts = new Float32Array(size);
  const groupOf = (at: number) => `${wanted[at * classCount + column]} ${groupOfRow(rows[row[at] ?? 0])}`;
  const sums = new Map<string, number>();
  for (let at = 0; at < size; at++) {
    const its = rows[row[at] ?? 0];
    if (its === undefined || !isTaught(row[at] ?? 0)) continue;
    const isLookAlike = isUserAttack && isOwnData(its) && its.label === "benign" && LOOK_ALIKE.test(its.category);
    const count = (weight[at * classCount + column] ?? 0) * (isLookAlike ? LOOK_ALIKE_WEIGHT : 1);
    if (count === 0) continue;
    counts[at] = count;
    sums.set(groupOf(at), (sums.get(groupOf(at)) ?? 0) + count);
  }
  const worth = worthOf(sums, head);
  const side = (name: string) => (name.startsWith("1") ? 1 : 0);
  const total = [0, 0];
  for (const [name, value] of worth) total[side(name)] = (total[side(name)] ?? 0) + value;
  const [against = 0, speakingFor = 0] = total;
  if (against === 0 || speakingFor === 0) return;
  // On average an example counts about one.
  const whole = [...sums.values()].reduce((sum, value) => sum + value, 0);
  const perSide = [
    whole / (1 + POSITIVE_SHARE) / against,
    (whole * POSITIVE_SHARE) / (1 + POSITIVE_SHARE) / speakingFor,
  ];
  for (let at = 0; at < size; at++) {
    const count = counts[at] ?? 0;
    if (count === 0) continue;
    const group = groupOf(at);
    const share = (worth.get(group) ?? 0) / (sums.get(group) ?? 1);
    balancedWeight[at * classCount + column] = Math.min(
      EXAMPLE_WEIGHT_MAX,
      count * share * (perSide[side(group)] ?? 0),
    );
  }
}

/** What each group is worth beside the others of its side. */
function worthOf(sums: ReadonlyMap<string, number>, head: ClassName): Map<string, number> {
  const damping = USER_ATTACK_CLASSES.has(head) ? USER_DAMPING : DAMPING;
  const ownShare = OWN_SHARES[head] ?? OWN_SHARE;
  const worth = new Map([...sums].map(([name, sum]) => [name, sum ** (1 - damping)]));
  for (const side of ["0", "1"]) {
    const own = `${side} ${OWN_GROUP}`;
    const others = [...worth].filter(([name]) => name.startsWith(side) && name !== own);
    const sum = others.reduce((total, [, value]) => total + value, 0);
    if (worth.has(own) && sum > 0) worth.set(own, (ownShare / (1 - ownShare)) * sum);
  }
  return worth;
}

const OWN_GROUP = "ours";

/** Rows that count as one source. Where a source holds many kinds, each kind is one. */
function groupOfRow(row: Row | undefined): string {
  if (row === undefined) return "";
  if (isOwnData(row)) return OWN_GROUP;
  const isMixed = /^ours|GPTeacher|XSafety/.test(row.source);
  return `${row.source} ${isMixed ? (row.category.split("/")[0] ?? "") : ""}`;
}
