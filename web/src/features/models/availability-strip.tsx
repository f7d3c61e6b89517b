import { memo } from "react";
import { cx } from "../../ui/cx.ts";
import { describeDay, describeStretch, type Stretch } from "./availability.ts";

/** Trouble is shorter as well as of another colour. */
const HEIGHTS: Readonly<Record<Stretch["state"], number>> = { up: 20, degraded: 14, down: 8, "no data": 20 };
const COLOURS: Readonly<Record<Stretch["state"], string>> = {
  up: "fill-positive",
  degraded: "fill-warning",
  down: "fill-danger",
  "no data": "fill-line",
};
const STEP = 10;
const GAP = 2;

export interface AvailabilityStripProps {
  readonly stretches: readonly Stretch[];
  /** Tells of each stretch when the pointer rests on it; it costs an element each, so lists go without. */
  readonly detailed?: boolean;
  readonly className?: string;
}

/** The last 24 hours at a glance. One drawing with a path for each state, so that a thousand of them stay light. */
export const AvailabilityStrip = memo(function AvailabilityStrip({
  stretches,
  detailed = false,
  className,
}: AvailabilityStripProps) {
  const states = [...new Set(stretches.map(({ state }) => state))];
  return (
    <svg
      role="img"
      aria-label={describeDay(stretches)}
      viewBox={`0 0 ${stretches.length * STEP - GAP} 20`}
      preserveAspectRatio="none"
      className={cx("h-5 w-full", className)}
    >
      {states.map((state) => (
        <path
          key={state}
          className={COLOURS[state]}
          d={stretches.map((stretch, index) => (stretch.state === state ? barOf(state, index) : "")).join("")}
        />
      ))}
      {detailed &&
        stretches.map((stretch, index) => (
          <rect key={stretch.at} x={index * STEP} y={0} width={STEP - GAP} height={20} className="fill-transparent">
            <title>{describeStretch(stretch)}</title>
          </rect>
        ))}
    </svg>
  );
});

function barOf(state: Stretch["state"], index: number): string {
  const height = HEIGHTS[state];
  return `M${index * STEP} ${20 - height}h${STEP - GAP}v${height}h-${STEP - GAP}z`;
}
