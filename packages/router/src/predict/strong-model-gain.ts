import type { Model } from "@trunkline/core/model.ts";
import type { Reading } from "@trunkline/core/prediction.ts";
import { type Familiar, ModelIndex, traitOf } from "./model-index.ts";
import { claimedQuality } from "./predict-quality.ts";
import { TextReading } from "./text-reading.ts";
import type { Weights } from "./weights.ts";

/** How much of a request's ease is believed where two models are compared: it says more of all than of their gap. */
const EASE_BELIEVED = 0.4;
/** How far a strong and a weak model stand apart where no outcomes say, in log-odds, and how they take to what parts. */
const LEAST_GAP = 1;
const STANDING = 0.7;

/** How much a request gains from the stronger of two models: what its chance is above the weaker one's. */
export class NeedOfStrength {
  private readonly index: ModelIndex;
  private readonly weights: Weights;

  constructor(weights: Weights) {
    this.weights = weights;
    this.index = new ModelIndex(weights);
  }

  of(strong: Model, weak: Model, reading: Reading): number {
    const better = this.index.of(strong);
    const worse = this.index.of(weak);
    const high = odds(claimedQuality(strong.accuracyScore ?? better.claim, "unsaid"));
    const low = Math.min(odds(claimedQuality(weak.accuracyScore ?? worse.claim, "unsaid")), high - LEAST_GAP);
    const plain = chance(high) - chance(low);
    if (!(reading instanceof TextReading)) return plain;
    let need = 0;
    let rest = 1;
    for (let part = 0; part < reading.shares.length; part++) {
      const leaning = reading.leanings[part];
      if (leaning === undefined) continue;
      const { at, ease, parting } = leaning;
      const share = reading.shares[part]?.share ?? 0;
      const upper = this.abilityOf(better, at);
      const lower = this.abilityOf(worse, at);
      const isKnown = !Number.isNaN(upper) && !Number.isNaN(lower);
      const moved = EASE_BELIEVED * ease;
      const base = this.weights.ease[at] ?? 0;
      const { figures } = reading;
      const upperMoved = isKnown
        ? upper +
          parting * (better.standing[at] ?? 0) +
          traitOf(this.weights, better.traits[at] ?? 0, figures)
        : high + base + parting * STANDING;
      const lowerMoved = isKnown
        ? lower + parting * (worse.standing[at] ?? 0) + this.traitIn(worse, at, figures)
        : low + base - parting * STANDING;
      need += share * (chance(upperMoved + moved) - chance(lowerMoved + moved));
      rest -= share;
    }
    return need + Math.max(0, rest) * plain;
  }

  /** What its other domains show of a model does not hold in one where it was never seen. */
  private traitIn({ row, traits }: Familiar, at: number, figures: readonly number[]): number {
    return (this.weights.outcomes[row + at] ?? 0) === 0 ? 0 : traitOf(this.weights, traits[at] ?? 0, figures);
  }

  private abilityOf({ row }: Familiar, at: number): number {
    return row < 0 ? Number.NaN : (this.weights.abilities[row + at] ?? Number.NaN);
  }
}

function odds(share: number): number {
  const inside = Math.min(0.99, Math.max(0.01, share));
  return Math.log(inside / (1 - inside));
}

function chance(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
