import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";

/** A grey stand-in for what is on its way. Give it a height and a width. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden="true" data-skeleton className={cx("block animate-pulse rounded-sm bg-line", className)} />;
}

export interface SkeletonRowsProps {
  readonly rows?: number;
  /** What is loading, for those who listen. */
  readonly label?: string;
}

/** A placeholder for a list or a table. */
export function SkeletonRows({ rows = 5, label = texts.common.loading }: SkeletonRowsProps) {
  return (
    <div role="status" className="rounded-lg border border-line bg-surface">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} className="flex items-center gap-4 border-t border-line px-4 py-3.5 first-of-type:border-t-0">
          <Skeleton className="h-3.5 w-1/4" />
          <Skeleton className="h-3.5 w-1/3" />
          <Skeleton className="ml-auto h-3.5 w-16" />
        </div>
      ))}
    </div>
  );
}
