/** Fewer failures than this are noise and must not decide between two good models. */
const NOISE_ERROR_RATE = 0.1;
const MAX_ERROR_RATE = 0.95;

/** What models are compared by. Amounts are floats here and only here: they order models and never charge anyone. */
export interface RankingMetrics {
  /** The client's word is unknown and the model lists it. */
  readonly isWanted: boolean;
  /** Nano-credits. */
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  /** The quality that can be counted on: what is held against the floor. */
  readonly sureQuality: number;
  /** 0 to 1, of recent calls. */
  readonly errorRate: number;
  /** Only parts what is otherwise equal. */
  readonly efficiency: number;
}

/** One of those that compete, with its figures as the strategies compare them: an answer of one that fails often takes more calls. */
export interface ScoredItem<Item> {
  readonly item: Item;
  readonly wanted: number;
  readonly clearsFloor: boolean;
  readonly cost: number;
  readonly latencyMs: number;
  readonly quality: number;
  readonly efficiency: number;
  /** What the strategy compares. */
  score: number;
}

export type AnyScoredItem = ScoredItem<unknown>;

/** How many calls it takes to get an answer, if every call fails as often as the recent ones. */
export function expectedAttempts(errorRate: number): number {
  return errorRate <= NOISE_ERROR_RATE ? 1 : 1 / (1 - Math.min(errorRate, MAX_ERROR_RATE));
}

/** So many outcomes weigh as much as the bare claim. */
const CLAIM_WEIGHT = 20;

/**
 * The quality that can be counted on: the bare claim where there is nothing but that, giving way to the lower bound with
 * every outcome. A model of which little is known is not held to be bad for that.
 */
export function sureQualityOf(claimed: number, lower: number, evidence: number): number {
  return claimed + ((lower - claimed) * evidence) / (evidence + CLAIM_WEIGHT);
}

/** Where an item stands before it is compared with the others. */
export function toScoredItem<Item>(
  item: Item,
  rankingMetrics: RankingMetrics,
  floor: number,
): ScoredItem<Item> {
  const attempts = expectedAttempts(rankingMetrics.errorRate);
  return {
    item,
    wanted: rankingMetrics.isWanted ? 1 : 0,
    clearsFloor: rankingMetrics.sureQuality >= floor,
    cost: rankingMetrics.cost * attempts,
    latencyMs: rankingMetrics.latencyMs * attempts,
    quality: rankingMetrics.quality / attempts,
    efficiency: rankingMetrics.efficiency,
    score: 0,
  };
}
