import { texts } from "../../texts/texts.ts";
import { formatMoney, formatMs, formatNumber, formatPercent } from "../../ui/format.ts";

type Effect = {
  readonly cost: number;
  readonly expected_latency_ms: number;
  readonly predicted_quality: number;
};

export type Measured = "cost" | "speed" | "quality";

/** How one strategy differs from what happened, in one measure. */
export interface Delta {
  readonly measure: Measured;
  /** Whether it is better, worse or the same. */
  readonly turn: "better" | "worse" | "same";
  /** The change, such as "12.5% cheaper". */
  readonly change: string;
}

/** Differences below these are noise on a screen. */
const LEAST: Readonly<Record<Measured, number>> = { cost: 1e-9, speed: 0.5, quality: 0.0005 };

export const MEASURED: readonly Measured[] = ["cost", "speed", "quality"];

const FIELDS = { cost: "cost", speed: "expected_latency_ms", quality: "predicted_quality" } as const;

/** The figure of a measure. */
export function figureOf(effect: Effect, measure: Measured): number {
  return effect[FIELDS[measure]];
}

/** The figure of a measure as it is read. */
export function writeFigure(measure: Measured, value: number): string {
  if (measure === "cost") return formatMoney(value);
  return measure === "speed" ? formatMs(value) : formatQuality(value);
}

/** What a strategy would have changed, in words. */
export function deltasOf(actual: Effect, difference: Effect): readonly Delta[] {
  return MEASURED.map((measure) => {
    const change = figureOf(difference, measure);
    if (Math.abs(change) < LEAST[measure]) return { measure, turn: "same", change: texts.routing.whatIf.same };
    const turn = (measure === "quality") === change > 0 ? "better" : "worse";
    const before = figureOf(actual, measure);
    // In percent of what it was; where that was nothing, as it is.
    const amount = before > 0 ? writeShare(Math.abs(change) / before) : writeFigure(measure, Math.abs(change));
    return {
      measure,
      turn,
      change: texts.routing.whatIf.changed(amount, texts.routing.whatIf.measures[measure][turn]),
    };
  });
}

/** A quality between 0 and 1. */
function formatQuality(quality: number): string {
  return quality.toFixed(2);
}

/** A number with a sign that reads as one. */
export function signed(value: number, write: (value: number) => string): string {
  if (value === 0) return write(0);
  return `${value > 0 ? "+" : "−"}${write(Math.abs(value))}`;
}

/** Beyond a hundred percent decimals are noise. */
function writeShare(share: number): string {
  return share < 1 ? formatPercent(share) : `${formatNumber(Math.round(share * 100))}%`;
}
