import { formatMoney, formatMs, formatNumber, formatPercent } from "../../ui/format.ts";

type Effect = {
  readonly cost: number;
  readonly expected_latency_ms: number;
  readonly predicted_quality: number;
};

export interface Delta {
  readonly measure: "cost" | "speed" | "quality";
  readonly name: string;
  /** Whether it is better, worse or the same. */
  readonly turn: "better" | "worse" | "same";
  /** The change with its sign, such as −12.5 %. */
  readonly change: string;
  /** The change in words, such as "cheaper". */
  readonly words: string;
  /** From what to what. */
  readonly span: string;
}

/** Differences below these are noise on a screen. */
const LEAST_COST = 1e-9;
const LEAST_MS = 0.5;
const LEAST_QUALITY = 0.0005;

/** What a strategy would have changed, in signs and words. */
export function deltasOf(actual: Effect, effect: Effect, difference: Effect): readonly Delta[] {
  return [
    {
      measure: "cost",
      name: "Cost",
      ...turnOf(-difference.cost, LEAST_COST),
      change: changeOf(difference.cost, actual.cost, LEAST_COST, formatMoney),
      words: wordOf(difference.cost, LEAST_COST, "cheaper", "dearer"),
      span: `${formatMoney(actual.cost)} → ${formatMoney(effect.cost)}`,
    },
    {
      measure: "speed",
      name: "Expected time",
      ...turnOf(-difference.expected_latency_ms, LEAST_MS),
      change: changeOf(difference.expected_latency_ms, actual.expected_latency_ms, LEAST_MS, formatMs),
      words: wordOf(difference.expected_latency_ms, LEAST_MS, "faster", "slower"),
      span: `${formatMs(actual.expected_latency_ms)} → ${formatMs(effect.expected_latency_ms)} on average`,
    },
    {
      measure: "quality",
      name: "Predicted quality",
      ...turnOf(difference.predicted_quality, LEAST_QUALITY),
      change: changeOf(difference.predicted_quality, actual.predicted_quality, LEAST_QUALITY, formatQuality),
      words: wordOf(difference.predicted_quality, LEAST_QUALITY, "worse", "better"),
      span: `${formatQuality(actual.predicted_quality)} → ${formatQuality(effect.predicted_quality)} on average`,
    },
  ];
}

/** A quality between 0 and 1. */
export function formatQuality(quality: number): string {
  return quality.toFixed(2);
}

/** A number with a sign that reads as one. */
export function signed(value: number, write: (value: number) => string): string {
  if (value === 0) return write(0);
  return `${value > 0 ? "+" : "−"}${write(Math.abs(value))}`;
}

/** Beyond a hundred percent decimals are noise. */
function writeShare(share: number): string {
  return share < 1 ? formatPercent(share) : `${formatNumber(Math.round(share * 100))} %`;
}

function turnOf(gain: number, least: number): Pick<Delta, "turn"> {
  if (Math.abs(gain) < least) return { turn: "same" };
  return { turn: gain > 0 ? "better" : "worse" };
}

function wordOf(difference: number, least: number, less: string, more: string): string {
  if (Math.abs(difference) < least) return "no change";
  return difference < 0 ? less : more;
}

/** In percent of what it was; where that was nothing, as it is. */
function changeOf(difference: number, before: number, least: number, write: (value: number) => string): string {
  if (Math.abs(difference) < least) return "±0";
  return before > 0 ? signed(difference / before, writeShare) : signed(difference, write);
}
