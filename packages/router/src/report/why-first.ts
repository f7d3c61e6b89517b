import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { formatCreditsNumber } from "@trunkline/core/money.ts";
import { type Candidate, displayScore, type RankedCandidate, type Route } from "@trunkline/core/route.ts";
import { apart } from "../rank/ranked-candidate.ts";
import { describeLoweredFloor } from "../rank/settle-floors.ts";
import { expectedAttempts, QUALITY_TIE_MARGIN, TIED_TIME_FACTOR } from "../rank/strategies.ts";

/** Why the first candidate came before the second, in one sentence with figures. In ASCII, as it is sent as a header. */
export function whyFirst(route: Route): string {
  const { ranking } = route;
  const [first] = ranking;
  const { tier, tierKind, model } = first.candidate;
  for (let place = 1; place < ranking.length; place++) {
    const second = ranking[place];
    if (second?.candidate.tier === tier) return inAscii(comparingSentence(route, first, second));
  }
  return tierKind === "named" || ranking.length > 1 ? namedSentence(model) : onlySentence(model);
}

const namedSentence = keptByModel((name) => `${name} was named by the request.`);
const onlySentence = keptByModel((name) => `${name} is the only model that can serve this request.`);

/** A sentence about a model alone, made once for each: every request with a named model has the same. */
function keptByModel(sentenceAbout: (name: string) => string): (model: Model) => string {
  const sentences = new WeakMap<Model, string>();
  return (model) => {
    const known = sentences.get(model);
    if (known !== undefined) return known;
    const sentence = inAscii(sentenceAbout(fullNameOf(model)));
    sentences.set(model, sentence);
    return sentence;
  };
}

function inAscii(sentence: string): string {
  return sentence.replace(/[^\x20-\x7e]/g, "?");
}

function comparingSentence(route: Route, first: RankedCandidate, second: RankedCandidate): string {
  const [one, other] = [first.candidate, second.candidate];
  const names = `${fullNameOf(one.model)} before ${fullNameOf(other.model)}`;
  const { explored, stickyTo, propensity } = route;
  if (stickyTo !== undefined) return `${names}: it answered last in this session; ${allFigures(one, other)}.`;
  if (explored !== undefined) return `${names}: tried to learn more about it; ${allFigures(one, other)}.`;
  if (one.isWanted && !other.isWanted) return `${names}: it lists the task "${route.task.word}".`;
  if (propensity !== undefined && one.model.name === other.model.name)
    return `${names}: equal providers of one model take turns by weight; ${allFigures(one, other)}.`;
  return `${names}: ${strategyFigures(route, first, second)}.`;
}

function strategyFigures(route: Route, first: RankedCandidate, second: RankedCandidate): string {
  const [one, other] = [first.candidate, second.candidate];
  if (route.isCascade === true)
    return `a cascade asks the cheapest first; ${costs(one, other)}, ${qualities(one, other)}`;
  switch (route.strategy) {
    case "cost-optimized":
      return costFigures(route, first, second);
    case "speed-optimized":
      return speedFigures(route, one, other);
    case "quality-optimized":
      return qualityFigures(one, other);
    case "hybrid": {
      const [worth, otherWorth] = [first, second].map(({ score }) => displayScore(route.strategy, score).toFixed(6));
      if (first.score === second.score) return tieFigures(one, other, "worth");
      return `worth ${worth} against ${otherWorth} credits; ${allFigures(one, other)}`;
    }
  }
}

function costFigures({ qualityFloor, loweredFloor }: Route, first: RankedCandidate, second: RankedCandidate): string {
  const [one, other] = [first.candidate, second.candidate];
  if (loweredFloor !== undefined)
    return `${qualities(one, other)}, ${costs(one, other)}; ${describeLoweredFloor(loweredFloor)}`;
  if (first.clearsFloor && !second.clearsFloor) {
    const [quality, floor] = apart(other.quality, qualityFloor);
    return `${costs(one, other)}, and the quality ${quality} of the second is below the floor of ${floor}`;
  }
  if (first.score === second.score) return tieFigures(one, other, "cost");
  return `${costs(one, other)}, ${qualities(one, other)}${failures(other)}`;
}

function speedFigures({ speedFloor = 0 }: Route, one: Candidate, other: Candidate): string {
  if (one.quality >= speedFloor && other.quality < speedFloor)
    return `${times(one, other)}, and the quality ${other.quality.toFixed(2)} of the second is less than half of what others reach that take little longer`;
  if (timeOf(one) === timeOf(other)) return tieFigures(one, other, "time");
  return `${times(one, other)}, ${qualities(one, other)}${failures(other)}`;
}

/** Of candidates that are as good, the cost decides, except against one that takes several times as long. */
function qualityFigures(one: Candidate, other: Candidate): string {
  const ahead = one.quality / expectedAttempts(one.errorRate) - other.quality / expectedAttempts(other.errorRate);
  if (ahead > QUALITY_TIE_MARGIN) return `${qualities(one, other)}, ${costs(one, other)}${failures(other)}`;
  const asGood = `as good within ${QUALITY_TIE_MARGIN}`;
  const isCheaper = costOf(one) < costOf(other);
  if (timeOf(other) > TIED_TIME_FACTOR * timeOf(one) && !isCheaper)
    return `${asGood}, and several times as fast: ${times(one, other)}, ${costs(one, other)}`;
  if (isCheaper) return `${asGood}, and cheaper: ${costs(one, other)}${failures(other)}`;
  if (costOf(one) > costOf(other)) return `${asGood}, and faster: ${times(one, other)}, ${costs(one, other)}`;
  return tieFigures(one, other, "cost");
}

/** What decided between candidates that are equal in what the strategy compares. */
function tieFigures(one: Candidate, other: Candidate, equal: "cost" | "time" | "worth"): string {
  const alike = `alike in ${equal}`;
  if (equal === "time" && costOf(one) !== costOf(other)) return `${alike}; ${costs(one, other)}`;
  if (equal !== "worth" && one.quality !== other.quality) return `${alike}; ${qualities(one, other)}`;
  if (equal === "cost" && timeOf(one) !== timeOf(other)) return `${alike} and quality; ${times(one, other)}`;
  if (one.model.costEfficiency !== other.model.costEfficiency)
    return `${alike}; the provider's word on its cost efficiency decided`;
  return "alike in all that counts; registered first";
}

function costOf({ quote, errorRate }: Candidate): number {
  return Number(quote.estimate) * expectedAttempts(errorRate);
}

function timeOf({ latencyMs, errorRate }: Candidate): number {
  return latencyMs * expectedAttempts(errorRate);
}

/** Says that the second counts for less than its figures, as its calls often fail. */
function failures({ errorRate }: Candidate): string {
  return expectedAttempts(errorRate) > 1 ? `, and ${Math.round(errorRate * 100)} % of the second's calls fail` : "";
}

function allFigures(one: Candidate, other: Candidate): string {
  return `${qualities(one, other)}, ${costs(one, other)}, ${times(one, other)}`;
}

function qualities(one: Candidate, other: Candidate): string {
  return `quality ${apart(one.quality, other.quality).join(" against ")}`;
}

function costs(one: Candidate, other: Candidate): string {
  return `cost ${formatCreditsNumber(one.quote.estimate)} against ${formatCreditsNumber(other.quote.estimate)} credits`;
}

function times(one: Candidate, other: Candidate): string {
  return `time ${Math.round(one.latencyMs)} against ${Math.round(other.latencyMs)} ms`;
}
