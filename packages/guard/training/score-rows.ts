import type { Channel } from "@trunkline/core/verdict.ts";
import { HEADS } from "../src/classifier/heads.ts";
import { isWeighed, readingsOf } from "../src/classifier/readings.ts";
import { SafetyModel } from "../src/classifier/safety-model.ts";
import { TextWeigher, VIEWS } from "../src/classifier/text-weigher.ts";
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
  readonly #weighers: Readonly<Record<Channel, TextWeigher>>;

  constructor(weights: SafetyWeights) {
    const model = new SafetyModel(weights);
    this.#weighers = {
      user: new TextWeigher(model, VIEWS.user),
      document: new TextWeigher(model, VIEWS.document),
      output: new TextWeigher(model, VIEWS.output),
    };
  }

  score(text: string, channel: Channel): RawScores {
    const whole = HEADS.map(() => Number.NEGATIVE_INFINITY);
    const worst = HEADS.map(() => Number.NEGATIVE_INFINITY);
    for (const reading of readingsOf(judgedOf(text), channel).filter(isWeighed)) {
      const weighed = this.#weighers[channel].weigh(reading);
      HEADS.forEach((_, head) => {
        const ofWhole = weighed.whole[head] ?? 0;
        const ofWorst = weighed.worst[head] ?? 0;
        const isJudged = ofWorst !== Number.NEGATIVE_INFINITY;
        whole[head] = Math.max(whole[head] ?? 0, ofWhole);
        worst[head] = Math.max(worst[head] ?? 0, isJudged ? ofWorst : ofWhole);
      });
    }
    return { whole, worst };
  }
}

/** A longer text is judged piece by piece; the first is enough to learn from. */
export function judgedOf(text: string): string {
  return text.slice(0, PIECE_CHARACTERS);
}
