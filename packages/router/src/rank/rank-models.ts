import type { Task } from "@trunkline/core/inference.ts";
import type { Exploration } from "@trunkline/core/route.ts";
import type { EligibleModel } from "../candidates/eligibility.ts";
import { claimedLatencyMs } from "../predict/expected-time.ts";
import { claimedQualityOfModel, listsTaskWord } from "../predict/predictor.ts";
import {
  expectedAttempts,
  type RankingCriteria,
  type RankingMetrics,
  rankByMetrics,
  type ScoredItem,
  sureQualityOf,
} from "./strategies.ts";

/** The models of one tier in the order in which they are tried, and how the first of them came by its place. */
export interface RankedTier {
  readonly eligibleModels: readonly EligibleModel[];
  /** Whom the strategy ranked first: others are measured by it. */
  readonly best: EligibleModel | undefined;
  /** How many drew for the first place; they are the first of them all. 1: nobody but the best. */
  readonly tiedCount: number;
  /** How likely the first place was to go to whom it went; 1: nothing was left to chance. */
  readonly propensity: number;
  /** `provider/name` of the model that the session stays with; it is the first. */
  readonly stickyTo?: string | undefined;
  readonly explored?: Exploration | undefined;
}

/** The same with one of them before all others. */
export function moveToFront(eligibleModels: readonly EligibleModel[], place: number): readonly EligibleModel[] {
  const moved = eligibleModels[place];
  if (moved === undefined || place === 0) return eligibleModels;
  return [moved, ...eligibleModels.slice(0, place), ...eligibleModels.slice(place + 1)];
}

/** Orders models that compete with one another, best first. Equal ones keep the order they came in. */
export function rankModels(
  eligibleModels: readonly EligibleModel[],
  task: Task,
  rankingCriteria: RankingCriteria,
): ScoredItem<EligibleModel>[] {
  return rankByMetrics(eligibleModels, (eligibleModel) => metricsOf(eligibleModel, task), rankingCriteria);
}

/** Whether the client's word is unknown and the model lists it. */
export function isWanted({ model }: EligibleModel, task: Task): boolean {
  return !task.known && listsTaskWord(model, task);
}

function metricsOf(eligibleModel: EligibleModel, task: Task): RankingMetrics {
  return {
    isWanted: isWanted(eligibleModel, task),
    cost: Number(eligibleModel.quote.estimate),
    latencyMs: eligibleModel.time.wholeMs,
    quality: eligibleModel.prediction.quality,
    sureQuality: sureQualityOfModel(eligibleModel),
    errorRate: eligibleModel.health.errorRate,
    efficiency: efficiencyOf(eligibleModel.model.costEfficiency),
  };
}

/** The provider's own word, which is no more than a word: it only parts what is otherwise equal. */
function efficiencyOf(level: string | undefined): number {
  if (level === "high") return 3;
  return level === "low" ? 1 : 2;
}

type PredictedModel = Pick<EligibleModel, "model" | "fit" | "prediction">;

/** The quality of a model that can be counted on. What is merely claimed is not moved by how hard the request is. */
function sureQualityOfModel({ model, fit, prediction: { lower, evidence } }: PredictedModel): number {
  return sureQualityOf(claimedQualityOfModel(model, fit), lower, evidence);
}

/** Whether a model's quality surely clears the floor, as the strategies count it. */
export function clearsFloor(prospect: PredictedModel, floor: number): boolean {
  return sureQualityOfModel(prospect) >= floor;
}

/** Neither failing nor left alone: nothing is sent to trouble by chance. */
export function isHealthy({ health }: Pick<EligibleModel, "health">): boolean {
  return health.available && expectedAttempts(health.errorRate) === 1;
}

/** From so many calls on, what was measured of an endpoint can be held against another's. */
const MIN_MEASURED_CALLS = 20;

/**
 * Whether one model takes at most so many times as long as another. Claims are compared with claims until both are
 * measured: otherwise whoever was called first would always look faster than one that nobody ever called.
 */
export function isWithinTimeFactor(one: EligibleModel, other: EligibleModel, factor: number): boolean {
  if (one.health.calls >= MIN_MEASURED_CALLS && other.health.calls >= MIN_MEASURED_CALLS)
    return one.time.wholeMs <= other.time.wholeMs * factor;
  return claimedLatencyMs(one.model) <= claimedLatencyMs(other.model) * factor;
}
