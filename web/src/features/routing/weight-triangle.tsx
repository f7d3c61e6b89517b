import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { texts } from "../../texts/texts.ts";
import { formatPercent } from "../../ui/format.ts";
import { CORNERS, MEASURES, type Measure, type Point, pointOf, type Shares, sharesAt, towards } from "./weights.ts";

const TEXTS = texts.routing.weights;

export interface WeightTriangleProps {
  readonly shares: Shares;
  readonly onSharesChange: (shares: Shares) => void;
}

const STEPS: Readonly<Record<string, readonly [measure: Measure, step: number]>> = {
  ArrowUp: ["quality", 1],
  ArrowDown: ["quality", -1],
  ArrowLeft: ["cost", 1],
  ArrowRight: ["speed", 1],
};
/** With Shift, or with Page Up and Page Down. */
const LEAP = 10;
const LINES = [0.25, 0.5, 0.75];

/** Three weights as one point in a triangle, moved by the pointer or by the arrow keys. */
export function WeightTriangle({ shares, onSharesChange }: WeightTriangleProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const point = pointOf(shares);

  function follow(event: PointerEvent<SVGSVGElement>) {
    const box = drawing.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    const scale = 360 / box.width;
    onSharesChange(sharesAt({ x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale }));
  }

  function press(event: KeyboardEvent) {
    const move = stepOf(event);
    if (move === undefined) return;
    event.preventDefault();
    onSharesChange(towards(shares, move[0], move[1]));
  }

  return (
    <svg
      ref={drawing}
      viewBox="0 0 360 320"
      className="mx-auto block w-full max-w-80 cursor-crosshair touch-none select-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        follow(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) follow(event);
      }}
    >
      <title>{TEXTS.picture}</title>
      <polygon
        points={cornersText(CORNERS.quality, CORNERS.cost, CORNERS.speed)}
        className="fill-subtle stroke-line-strong"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
      {LINES.map((share) => (
        <g key={share} className="stroke-line" strokeWidth="1">
          <Line from={between("cost", "quality", share)} to={between("speed", "quality", share)} />
          <Line from={between("quality", "cost", share)} to={between("speed", "cost", share)} />
          <Line from={between("quality", "speed", share)} to={between("cost", "speed", share)} />
        </g>
      ))}
      {MEASURES.map((measure) => (
        <Line
          key={measure}
          from={point}
          to={CORNERS[measure]}
          className="stroke-accent opacity-45"
          strokeWidth={1 + shares[measure] / 18}
        />
      ))}
      <text x={CORNERS.quality.x} y="22" textAnchor="middle" className="fill-text text-lg font-medium">
        {TEXTS.corner.quality(formatPercent(shares.quality / 100))}
      </text>
      <text x="8" y="308" className="fill-text text-lg font-medium">
        {TEXTS.corner.cost(formatPercent(shares.cost / 100))}
      </text>
      <text x="352" y="308" textAnchor="end" className="fill-text text-lg font-medium">
        {TEXTS.corner.speed(formatPercent(shares.speed / 100))}
      </text>
      <g
        role="slider"
        tabIndex={0}
        aria-label={TEXTS.slider}
        aria-describedby="triangle-keys"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={shares.quality}
        aria-valuetext={sharesText(shares)}
        onKeyDown={press}
        className="group outline-none"
      >
        <circle
          cx={point.x}
          cy={point.y}
          r="19"
          className="fill-transparent stroke-transparent group-focus-visible:stroke-accent"
          strokeWidth="2.5"
        />
        <circle cx={point.x} cy={point.y} r="12" className="fill-accent stroke-surface" strokeWidth="3" />
      </g>
    </svg>
  );
}

/** All three weights, one after the other. */
function sharesText({ cost, speed, quality }: Shares): string {
  return TEXTS.all(formatPercent(cost / 100), formatPercent(speed / 100), formatPercent(quality / 100));
}

function stepOf({ key, shiftKey }: KeyboardEvent): readonly [Measure, number] | undefined {
  if (key === "PageUp") return ["quality", LEAP];
  if (key === "PageDown") return ["quality", -LEAP];
  const step = STEPS[key];
  return step === undefined ? undefined : [step[0], step[1] * (shiftKey ? LEAP : 1)];
}

function between(from: Measure, to: Measure, share: number): Point {
  const mix = (axis: keyof Point) => CORNERS[from][axis] * (1 - share) + CORNERS[to][axis] * share;
  return { x: mix("x"), y: mix("y") };
}

function cornersText(...points: readonly Point[]): string {
  return points.map(({ x, y }) => `${x},${y}`).join(" ");
}

interface LineProps {
  readonly from: Point;
  readonly to: Point;
  readonly className?: string;
  readonly strokeWidth?: number;
}

function Line({ from, to, ...look }: LineProps) {
  return <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} {...look} />;
}
