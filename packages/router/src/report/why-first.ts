import { fullNameOf } from "@trunkline/core/model.ts";
import { formatCreditsNumber } from "@trunkline/core/money.ts";
import { type Candidate, displayScore, type RankedCandidate, type Route } from "@trunkline/core/route.ts";

/** Why the first candidate came before the second, in one sentence with figures. In ASCII, as it is sent as a header. */
export function whyFirst(route: Route): string {
  const [first, ...others] = route.ranking;
  const second = others.find(({ candidate }) => candidate.tier === first.candidate.tier);
  const sentence = second === undefined ? aloneSentence(first, others) : comparingSentence(route, first, second);
  return sentence.replace(/[^\x20-\x7e]/g, "?");
}

function aloneSentence({ candidate }: RankedCandidate, others: readonly RankedCandidate[]): string {
  const name = fullNameOf(candidate.model);
  if (candidate.tierKind === "named" || others.length > 0) return `${name} was named by the request.`;
  return `${name} is the only model that can serve this request.`;
}

function comparingSentence(route: Route, first: RankedCandidate, second: RankedCandidate): string {
  const [one, other] = [first.candidate, second.candidate];
  const names = `${fullNameOf(one.model)} before ${fullNameOf(other.model)}`;
  const { explored, stickyTo } = route;
  if (stickyTo !== undefined) return `${names}: it answered last in this session; ${allFigures(one, other)}.`;
  if (explored !== undefined) return `${names}: tried to learn more about it; ${allFigures(one, other)}.`;
  if (one.isWanted && !other.isWanted) return `${names}: it lists the task "${route.task.word}".`;
  return `${names}: ${strategyFigures(route, first, second)}.`;
}

function strategyFigures(route: Route, first: RankedCandidate, second: RankedCandidate): string {
  const [one, other] = [first.candidate, second.candidate];
  switch (route.strategy) {
    case "cost-optimized":
      return other.quality < route.qualityFloor && one.quality >= route.qualityFloor
        ? `${costs(one, other)}, and the quality ${other.quality.toFixed(2)} of the second is below the floor of ${route.qualityFloor.toFixed(2)}`
        : `${costs(one, other)}, ${qualities(one, other)}`;
    case "speed-optimized":
      return `${times(one, other)}, ${qualities(one, other)}`;
    case "quality-optimized":
      return `${qualities(one, other)}, ${costs(one, other)}`;
    case "hybrid": {
      const [worth, otherWorth] = [first, second].map(({ score }) => displayScore(route.strategy, score).toFixed(6));
      return `worth ${worth} against ${otherWorth} credits; ${allFigures(one, other)}`;
    }
  }
}

function allFigures(one: Candidate, other: Candidate): string {
  return `${qualities(one, other)}, ${costs(one, other)}, ${times(one, other)}`;
}

function qualities(one: Candidate, other: Candidate): string {
  return `quality ${one.quality.toFixed(2)} against ${other.quality.toFixed(2)}`;
}

function costs(one: Candidate, other: Candidate): string {
  return `cost ${formatCreditsNumber(one.quote.estimate)} against ${formatCreditsNumber(other.quote.estimate)} credits`;
}

function times(one: Candidate, other: Candidate): string {
  return `time ${Math.round(one.latencyMs)} against ${Math.round(other.latencyMs)} ms`;
}
