import type { Task } from "@trunkline/core/inference.ts";
import type { EligibleModel } from "../candidates/prospect.ts";
import { listsTaskWord } from "../predict/fit-task.ts";
import { sureQualityOfModel } from "./clears-floor.ts";
import { type RankingCriteria, rankByMetrics } from "./rank-by-figures.ts";
import type { RankingMetrics, ScoredItem } from "./standing.ts";

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
