import { groupNearDuplicates } from "@trunkline/core/sampling.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import { SUFFIX_FEATURES, WORD_PAIR_TABLE_BYTES } from "../src/classifier/adversarial-suffix.ts";
import { CLASSES } from "../src/classifier/classes.ts";
import type { Vocabulary } from "../src/classifier/feature-scanner.ts";
import { SafetyModel, type SafetyWeights } from "../src/classifier/safety-model.ts";
import { decodeAndMatch, isScorable, TextScorer, WINDOW_SETTINGS } from "../src/classifier/text-scorer.ts";
import { PIECE_CHARACTERS } from "../src/screen/evaluate-text.ts";
import type { Examples } from "./examples.ts";
import { type ClassWeights, fitWeights } from "./fit-weights.ts";
import type { Row } from "./rows.ts";

/** A row, and what a model that never saw its source makes of it. */
export interface HeldOut extends RawScores {
  readonly row: Row;
}

/** Scores every row by a model that was taught without its source, and without whatever is nearly the same as a row of it. */
export function scoreHeldOut(examples: Examples, rows: readonly Row[], vocabulary: Vocabulary): readonly HeldOut[] {
  const isLeftOut = createFoldFilter(rows);
  const scored: HeldOut[] = [];
  for (let fold = 0; fold < FOLD_COUNT; fold++) {
    const weights = fitWeights(examples, rows, vocabulary, (row) => !isLeftOut(fold, row));
    const scorer = new RowScorer(withoutCalibrations(weights));
    for (const row of rows) {
      if (foldOf(row) === fold) scored.push({ row, ...scorer.score(row.text, row.channel) });
    }
    process.stdout.write(`fold ${fold + 1} of ${FOLD_COUNT}\n`);
  }
  return scored;
}

/** Raw scores need neither calibrations nor tails. */
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

/** Sources that are kept from the training together. Each fold has something of every kind. */
const FOLDS: readonly RegExp[] = [
  /neuralchemy|clinc|awesome-chatgpt|red-instruct|t-davidson|ours: templates x trigger|NeMo|Portkey/,
  /tensor-trust|GPTeacher|natural-questions|multilingual-safety|edos|vercel|surge/,
  /jailbreak_llms|GPTFuzz|dstc8|llm-attacks|toxic_spans|ours: templates x topics|promptfoo/,
  /XSafety|nl2bash|T0\/P3 sample|Vicomtech|TOXIGEN/,
  /ours: (?:requests|harm|documents)|garak|Giskard|unintended/,
  /wildjailbreak|public docs|FuzzyAI|glaive|self-instruct|litellm|trpc|FastChat|LLaMA-Factory|xquad/,
];

const FOLD_COUNT = FOLDS.length;

function foldOf({ source }: Row): number {
  if (source.startsWith("public docs")) return 5;
  const found = FOLDS.findIndex((pattern) => pattern.test(source));
  if (found < 0) throw new Error(`No fold holds ${source}.`);
  return found;
}

/** For each fold, the rows that must not be taught: its own, and what is nearly the same as one of its own. */
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

/** Raw scores of a text, head by head: the worst over all its readings. */
interface RawScores {
  readonly whole: number[];
  /** Of the worst window, in documents together with the worst sentence; that of the whole where there is but one. */
  readonly worst: number[];
}

/** Scores texts as they are scored in service, up to the calibration. */
class RowScorer {
  readonly #scorers: Readonly<Record<Channel, TextScorer>>;

  constructor(weights: SafetyWeights) {
    const model = new SafetyModel(weights);
    this.#scorers = {
      user: new TextScorer(model, WINDOW_SETTINGS.user),
      document: new TextScorer(model, WINDOW_SETTINGS.document),
      output: new TextScorer(model, WINDOW_SETTINGS.output),
    };
  }

  score(text: string, channel: Channel): RawScores {
    const whole = CLASSES.map(() => Number.NEGATIVE_INFINITY);
    const worst = CLASSES.map(() => Number.NEGATIVE_INFINITY);
    for (const matchedText of decodeAndMatch(firstPiece(text), channel).filter(isScorable)) {
      const textScores = this.#scorers[channel].score(matchedText);
      CLASSES.forEach((_, head) => {
        const ofWhole = textScores.whole[head] ?? 0;
        const ofWorst = textScores.worst[head] ?? 0;
        const isJudged = ofWorst !== Number.NEGATIVE_INFINITY;
        whole[head] = Math.max(whole[head] ?? 0, ofWhole);
        worst[head] = Math.max(worst[head] ?? 0, isJudged ? ofWorst : ofWhole);
      });
    }
    return { whole, worst };
  }
}

/** A longer text is judged piece by piece; the first is enough to learn from. */
export function firstPiece(text: string): string {
  return text.slice(0, PIECE_CHARACTERS);
}
