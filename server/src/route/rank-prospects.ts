import type { Task } from "../domain/inference.ts";
import { listsWord } from "./fit-task.ts";
import { predictQuality } from "./predict-quality.ts";
import type { Prospect } from "./prospect.ts";
import { type Ranking, rankByFigures } from "./rank-by-figures.ts";
import { type Figures, type Standing, sureQualityOf } from "./standing.ts";

/** Orders models that compete with one another, best first. Equal ones keep the order they came in. */
export function rankProspects(
  prospects: readonly Prospect[],
  task: Task,
  ranking: Ranking,
): Standing<Prospect>[] {
  return rankByFigures(prospects, (prospect) => figuresOf(prospect, task), ranking);
}

/** Whether the client's word is unknown and the model lists it. */
export function isWanted({ model }: Prospect, task: Task): boolean {
  return !task.known && listsWord(model, task);
}

function figuresOf(prospect: Prospect, task: Task): Figures {
  return {
    isWanted: isWanted(prospect, task),
    cost: Number(prospect.quote.estimate),
    latencyMs: prospect.time.wholeMs,
    quality: prospect.prediction.quality,
    sureQuality: sureQualityOfProspect(prospect),
    errorRate: prospect.health.errorRate,
    efficiency: efficiencyOf(prospect.model.costEfficiency),
  };
}

/** The quality of a prospect that can be counted on, which is held against the floor. */
export function sureQualityOfProspect({ model, fit, prediction }: Prospect): number {
  return sureQualityOf(predictQuality(model, fit), prediction.lower, prediction.evidence);
}

/** The provider's own word, which is no more than a word: it only parts what is otherwise equal. */
function efficiencyOf(level: string | undefined): number {
  if (level === "high") return 3;
  return level === "low" ? 1 : 2;
}
