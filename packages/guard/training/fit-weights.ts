import { CLASS_COUNT, CLASSES, type ClassName } from "../src/classifier/classes.ts";
import { FEATURE_BUCKETS } from "../src/classifier/feature-scanner.ts";
import { ZERO_OFFSET } from "../src/classifier/row-sums.ts";
import type { SafetyWeights } from "../src/classifier/safety-model.ts";
import type { Vocabulary } from "../src/classifier/word-sums.ts";
import { SCORED_RULE_NAMES } from "../src/rules/rule-sets.ts";
import type { Examples } from "./examples.ts";
import { fitLogisticRegression, type TrainingSettings } from "./logistic-regression.ts";
import { REPOSITORY_LICENCES } from "./repositories.ts";
import { isOwnData, type Row } from "./rows.ts";

export const TRAINING_SETTINGS: TrainingSettings = {
  passes: 6,
  batches: 20,
  learningRate: 0.08,
  denseLearningRate: 0.04,
  attackWeightDecay: 3e-6,
  harmWeightDecay: 2e-6,
  denseWeightDecay: 4e-5,
};

/**
 * Weights of a column are clipped at this many standard deviations, so that a few large ones do not coarsen the rest.
 */
const CLIP_DEVIATIONS = 8;

/** The weights of the classes. The calibration and the suffix detector are fitted separately. */
export type ClassWeights = Omit<SafetyWeights, "calibrations" | "pairs" | "tail">;

/** Fits the model to all rows for which `isIncluded` holds. */
export function fitWeights(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
  isIncluded: (row: number) => boolean,
  settings = TRAINING_SETTINGS,
): ClassWeights {
  const weight = balanceExamples(examples, rows, isIncluded);
  const { table, denseWeights } = fitLogisticRegression(examples, weight, settings);
  return { ...vocabulary, rules: SCORED_RULE_NAMES, ...quantise(table), denseWeights };
}

/** Quantises the table to bytes. Dense weights stay floats, as rules lose too much precision. */
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

/**
 * A source with four times the rows counts about twice as much; for user attacks, whose sources are very unequal, less.
 */
const DAMPING = 0.5;
const USER_DAMPING = 0.75;
/** The share of the positive and of the negative examples of a class that our own texts make up. */
const OWN_SHARE = 0.5;
/**
 * The same where public sources are few: requests for harm are mostly of few kinds, and orders in documents were put into
 * documents that have nothing to do with them.
 */
const OWN_SHARE_OF_FEW_SOURCES = 0.8;
const CLASSES_OF_FEW_SOURCES: ReadonlySet<ClassName> = new Set(["attack_document", "unsafe", "illicit"]);
const USER_ATTACK_CLASSES: ReadonlySet<ClassName> = new Set(["attack_user", "jailbreak"]);
/** Our own harmless texts that look like attacks count more. */
const LOOK_ALIKE =
  /^(?:trigger_words|contrast_trigger|roleplay|llm_security_question|format_instructions|structured|elaborate_frame|adversarial_looking|persuasion|quoted_attack_text|disguised)$/;
const LOOK_ALIKE_WEIGHT = 2;
const EXAMPLE_WEIGHT_MAX = 8;
/** The weight of all positive examples of a class relative to the negative ones. */
const POSITIVE_SHARE = 0.6;

const classCount = CLASSES.length;

/** The weight of each example for each class, balanced so that no source dominates; excluded rows weigh nothing. */
function balanceExamples(examples: Examples, rows: readonly Row[], isIncluded: (row: number) => boolean): Float32Array {
  const weight = new Float32Array(examples.size * classCount);
  CLASSES.forEach((className, at) => {
    balanceClass(examples, rows, isIncluded, className, at, weight);
  });
  return weight;
}

function balanceClass(
  { size, row, wanted, weight }: Examples,
  rows: readonly Row[],
  isIncluded: (row: number) => boolean,
  className: ClassName,
  column: number,
  balancedWeight: Float32Array,
): void {
  const isUserAttack = USER_ATTACK_CLASSES.has(className);
  const counts = new Float32Array(size);
  const groupOf = (at: number) => `${wanted[at * classCount + column]} ${groupOfRow(rows[row[at] ?? 0], isUserAttack)}`;
  const sums = new Map<string, number>();
  for (let at = 0; at < size; at++) {
    const sourceRow = rows[row[at] ?? 0];
    if (sourceRow === undefined || !isIncluded(row[at] ?? 0)) continue;
    const isLookAlike =
      isUserAttack && isOwnData(sourceRow) && sourceRow.label === "benign" && LOOK_ALIKE.test(sourceRow.category);
    const count = (weight[at * classCount + column] ?? 0) * (isLookAlike ? LOOK_ALIKE_WEIGHT : 1);
    if (count === 0) continue;
    counts[at] = count;
    sums.set(groupOf(at), (sums.get(groupOf(at)) ?? 0) + count);
  }
  const groupWeights = groupWeightsOf(sums, className);
  const side = (name: string) => (name.startsWith("1") ? 1 : 0);
  const total = [0, 0];
  for (const [name, value] of groupWeights) total[side(name)] = (total[side(name)] ?? 0) + value;
  const [negative = 0, positive = 0] = total;
  if (negative === 0 || positive === 0) return;
  // On average an example weighs about one.
  const whole = [...sums.values()].reduce((sum, value) => sum + value, 0);
  const perSide = [whole / (1 + POSITIVE_SHARE) / negative, (whole * POSITIVE_SHARE) / (1 + POSITIVE_SHARE) / positive];
  for (let at = 0; at < size; at++) {
    const count = counts[at] ?? 0;
    if (count === 0) continue;
    const group = groupOf(at);
    const share = (groupWeights.get(group) ?? 0) / (sums.get(group) ?? 1);
    balancedWeight[at * classCount + column] = Math.min(
      EXAMPLE_WEIGHT_MAX,
      count * share * (perSide[side(group)] ?? 0),
    );
  }
}

/** The total weight of each group, relative to the other groups of its side. */
function groupWeightsOf(sums: ReadonlyMap<string, number>, className: ClassName): Map<string, number> {
  const damping = USER_ATTACK_CLASSES.has(className) ? USER_DAMPING : DAMPING;
  const ownShare = CLASSES_OF_FEW_SOURCES.has(className) ? OWN_SHARE_OF_FEW_SOURCES : OWN_SHARE;
  const groupWeights = new Map([...sums].map(([name, sum]) => [name, sum ** (1 - damping)]));
  for (const side of ["0", "1"]) {
    const own = `${side} ${OWN_GROUP}`;
    const others = [...groupWeights].filter(([name]) => name.startsWith(side) && name !== own);
    const sum = others.reduce((total, [, value]) => total + value, 0);
    if (groupWeights.has(own) && sum > 0) groupWeights.set(own, (ownShare / (1 - ownShare)) * sum);
  }
  return groupWeights;
}

const OWN_GROUP = "ours";

/** The group of a row: its source, or its kind if a source has many kinds. */
function groupOfRow(row: Row | undefined, isUserAttack: boolean): string {
  if (row === undefined) return "";
  if (isOwnData(row)) return OWN_GROUP;
  // Long harmless texts look like attacks of users, and like nothing else.
  if (!isUserAttack && REPOSITORY_LICENCES.has(row.source)) return "repositories";
  const isMixed = /^ours|GPTeacher|XSafety/.test(row.source);
  return `${row.source} ${isMixed ? (row.category.split("/")[0] ?? "") : ""}`;
}
