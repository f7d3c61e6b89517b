import { cx } from "./cx.ts";

export interface SparklineProps {
  readonly values: readonly number[];
  /** What it shows, in words; the picture says no more than a shape. */
  readonly label: string;
  readonly className?: string;
}

/** The shape of a few numbers. */
export function Sparkline({ values, label, className }: SparklineProps) {
  const top = Math.max(...values, 0);
  const step = values.length > 1 ? 100 / (values.length - 1) : 0;
  const points = values.map((value, index) => {
    const height = top === 0 ? 0 : (value / top) * 26;
    return `${(index * step).toFixed(2)},${(29 - height).toFixed(2)}`;
  });
  return (
    <svg
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className={cx("h-8 w-full text-accent", className)}
    >
      {points.length > 1 && (
        <>
          <polygon points={`0,30 ${points.join(" ")} 100,30`} fill="currentColor" opacity="0.1" />
          <polyline
            points={points.join(" ")}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}
