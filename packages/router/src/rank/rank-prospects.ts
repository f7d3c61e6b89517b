import type { Task } from "@trunkline/core/inference.ts";
import type { Prospect } from "../candidates/prospect.ts";
import { listsWord } from "../predict/fit-task.ts";
import { countedOn } from "./clears-floor.ts";
import { type Ranking, rankByFigures } from "./rank-by-figures.ts";
import type { Figures, Standing } from "./standing.ts";

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
    sureQuality: countedOn(prospect),
    errorRate: prospect.health.errorRate,
    efficiency: efficiencyOf(prospect.model.costEfficiency),
  };
}

/** The provider's own word, which is no more than a word: it only parts what is otherwise equal. */
function efficiencyOf(level: string | undefined): number {
  if (level === "high") return 3;
  return level === "low" ? 1 : 2;
}
