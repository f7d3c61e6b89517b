import type { Model } from "@trunkline/core/model.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import { ExtractedPromptFeatures } from "./extracted-features.ts";
import { ModelIndex, type ModelProfile, traitLogOdds } from "./model-index.ts";
import { shareOf } from "./model-strength.ts";
import { claimedQuality } from "./predictor.ts";
import type { RouterWeights } from "./router-weights.ts";

/**
 * How much a request's ease counts when two models are compared, with outcomes of both and without: it tells more about
 * all models than about their gap.
 */
const EASE_WEIGHT = 0.4;
const CLAIMED_EASE_WEIGHT = 0.7;
/** The assumed gap between a strong and a weak model without outcomes, in log-odds, and how discriminating features change it. */
const MIN_GAP = 1;
const DEFAULT_STANDING = 0.7;

/** How much a request gains from the stronger of two models: the difference of their chances. */
export class StrongModelGain {
  private readonly index: ModelIndex;
  private readonly weights: RouterWeights;

  constructor(routerWeights: RouterWeights) {
    this.weights = routerWeights;
    this.index = new ModelIndex(routerWeights);
  }

  estimate(strong: Model, weak: Model, promptFeatures: PromptFeatures): number {
    const better = this.index.profileOf(strong);
    const worse = this.index.profileOf(weak);
    const high = logit(claimedQuality(strong.accuracyScore ?? publishedClaim(better), "unsaid"));
    const low = Math.min(logit(claimedQuality(weak.accuracyScore ?? publishedClaim(worse), "unsaid")), high - MIN_GAP);
    const plain = sigmoid(high) - sigmoid(low);
    if (!(promptFeatures instanceof ExtractedPromptFeatures)) return plain;
    let need = 0;
    let rest = 1;
    for (let part = 0; part < promptFeatures.shares.length; part++) {
      const at = promptFeatures.domainIndexAt(part);
      if (at < 0) continue;
      const ease = promptFeatures.easeAt(part);
      const parting = promptFeatures.discriminationAt(part);
      const share = promptFeatures.shares[part]?.share ?? 0;
      const upper = this.abilityOf(better, at);
      const lower = this.abilityOf(worse, at);
      const isKnown = !Number.isNaN(upper) && !Number.isNaN(lower);
      const moved = (isKnown ? EASE_WEIGHT : CLAIMED_EASE_WEIGHT) * ease;
      const { figures } = promptFeatures;
      // How strictly a domain was graded for other models says nothing about models without outcomes.
      const upperMoved = isKnown
        ? upper + parting * (better.strength[at] ?? 0) + traitLogOdds(this.weights, better.traits[at] ?? 0, figures)
        : high + parting * DEFAULT_STANDING;
      const lowerMoved = isKnown
        ? lower + parting * (worse.strength[at] ?? 0) + this.traitLogOddsIn(worse, at, figures)
        : low - parting * DEFAULT_STANDING;
      need += share * (sigmoid(upperMoved + moved) - sigmoid(lowerMoved + moved));
      rest -= share;
    }
    return need + Math.max(0, rest) * plain;
  }

  /** Outcomes in other domains do not count in a domain without outcomes. */
  private traitLogOddsIn({ row, traits }: ModelProfile, at: number, figures: readonly number[]): number {
    return (this.weights.outcomes[row + at] ?? 0) === 0 ? 0 : traitLogOdds(this.weights, traits[at] ?? 0, figures);
  }

  private abilityOf({ row }: ModelProfile, at: number): number {
    return row < 0 ? Number.NaN : (this.weights.abilities[row + at] ?? Number.NaN);
  }
}

function publishedClaim({ claim, familyStrength }: ModelProfile): number | undefined {
  return claim ?? (familyStrength === undefined ? undefined : shareOf(familyStrength.odds));
}

function logit(share: number): number {
  const inside = Math.min(0.99, Math.max(0.01, share));
  return Math.log(inside / (1 - inside));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
