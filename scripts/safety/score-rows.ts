import type { Channel } from "../../server/src/domain/verdict.ts";
import { HEADS } from "../../server/src/safety/model/heads.ts";
import { isWeighed, readingsOf } from "../../server/src/safety/model/readings.ts";
import { SafetyModel } from "../../server/src/safety/model/safety-model.ts";
import { TextWeigher, VIEWS } from "../../server/src/safety/model/text-weigher.ts";
import type { SafetyWeights } from "../../server/src/safety/model/weights.ts";

/** Raw scores of a text, head by head: the worst over all its readings. */
export interface RawScores {
  readonly whole: number[];
  /** Of the worst window; that of the whole where there is but one. */
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
    for (const reading of readingsOf(text.slice(0, 8192), channel).filter(isWeighed)) {
      const weighed = this.#weighers[channel].weigh(reading);
      HEADS.forEach((_, head) => {
        const ofWhole = weighed.whole[head] ?? 0;
        whole[head] = Math.max(whole[head] ?? 0, ofWhole);
        worst[head] = Math.max(worst[head] ?? 0, weighed.windows > 0 ? (weighed.worst[head] ?? 0) : ofWhole);
      });
    }
    return { whole, worst };
  }
}
