import type { Model } from "@trunkline/core/model.ts";
import type { Candidate, ExpectedTime, Health, Quote } from "@trunkline/core/route.ts";
import type { EligibleModel } from "../candidates/prospect.ts";
import type { RankingCriteria } from "./rank-by-figures.ts";
import { rankingReasons } from "./reasons-for.ts";
import type { ScoredItem } from "./standing.ts";

/**
 * A prospect with its place. Its reasons are put into words only when somebody asks for them,
 * as this runs for every request; so they are no property of its own that a spread would copy.
 */
export class RankedCandidate implements Candidate {
  readonly model: Model;
  readonly quote: Quote;
  readonly quality: number;
  readonly lowerQuality: number;
  readonly unlearnt: number | undefined;
  readonly evidence: number;
  readonly latencyMs: number;
  readonly time: ExpectedTime;
  readonly errorRate: number;
  readonly state: Health["state"];
  readonly inFlight: number;
  readonly clearsFloor: boolean;
  readonly score: number;
  readonly isWanted: boolean;
  readonly tier: number;
  readonly #eligibleModel: EligibleModel;
  readonly #rankingCriteria: RankingCriteria;
  /** Why it is the first of its tier, where that is not the strategy's doing alone. */
  readonly #note: string | undefined;

  constructor(
    { item, wanted, clearsFloor, score }: ScoredItem<EligibleModel>,
    tier: number,
    rankingCriteria: RankingCriteria,
    note: string | undefined,
  ) {
    this.model = item.model;
    this.quote = item.quote;
    this.quality = item.prediction.quality;
    this.lowerQuality = item.prediction.lower;
    this.unlearnt = item.prediction.unlearnt;
    this.evidence = item.prediction.evidence;
    this.latencyMs = item.time.wholeMs;
    this.time = item.time;
    this.errorRate = item.health.errorRate;
    this.state = item.health.state;
    this.inFlight = item.health.inFlight ?? 0;
    this.clearsFloor = clearsFloor;
    this.score = score;
    this.isWanted = wanted > 0;
    this.tier = tier;
    this.#eligibleModel = item;
    this.#rankingCriteria = rankingCriteria;
    this.#note = note;
  }

  get reasons(): readonly string[] {
    const reasons = rankingReasons(this.#eligibleModel, this.clearsFloor, this.#rankingCriteria);
    return this.#note === undefined ? reasons : [...reasons, this.#note];
  }
}
