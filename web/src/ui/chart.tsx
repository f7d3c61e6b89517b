import { lazy, Suspense } from "react";
import type { ChartProps } from "./chart-props.ts";
import { Skeleton } from "./skeleton.tsx";

const ChartCanvas = lazy(async () => ({ default: (await import("./chart-canvas.tsx")).ChartCanvas }));

/** Numbers over time. The drawing is fetched when the first chart is shown. */
export function Chart(props: ChartProps) {
  return (
    <Suspense
      fallback={
        <span style={{ height: (props.heightPx ?? 240) + 28 }} className="block">
          <Skeleton className="h-full w-full" />
        </span>
      }
    >
      <ChartCanvas {...props} />
    </Suspense>
  );
}
