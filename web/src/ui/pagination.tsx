import { Button } from "./button.tsx";
import { formatNumber } from "./format.ts";

export interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly onMore: () => unknown;
  /** How many are shown. */
  readonly shown: number;
  /** What they are, in the plural. */
  readonly noun: string;
}

/** The lower edge of a list that grows. */
export function LoadMore({ hasMore, loading, onMore, shown, noun }: LoadMoreProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <span role="status">
        {formatNumber(shown)} {noun} shown{hasMore ? "" : ", that is all"}
      </span>
      {hasMore && (
        <Button
          size="sm"
          loading={loading}
          onClick={() => {
            onMore();
          }}
        >
          Load more
        </Button>
      )}
    </div>
  );
}
