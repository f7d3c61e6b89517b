import type { Channel } from "@trunkline/core/verdict.ts";
import { CLASSES } from "../src/classifier/heads.ts";
import { decodeAndMatch, isScorable } from "../src/classifier/readings.ts";
import { SafetyModel } from "../src/classifier/safety-model.ts";
import { TextScorer, WINDOW_SETTINGS } from "../src/classifier/text-weigher.ts";
import type { SafetyWeights } from "../src/classifier/weights.ts";
import { PIECE_CHARACTERS } from "../src/screen/judge-long.ts";

/** Raw scores of a text, head by head: the worst over all its readings. */
export interface RawScores {
  readonly whole: number[];
  /** Of the worst window, in documents together with the worst sentence; that of the whole where there is but one. */
  readonly worst: number[];
}

/** Scores texts as they are scored in service, up to the calibration. */
export class RowScorer {
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
