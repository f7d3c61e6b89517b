import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

export interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly onMore: () => unknown;
  /** How many are shown, with their noun: "5 models". */
  readonly count: string;
}

/** The lower edge of a list that grows. */
export function LoadMore({ hasMore, loading, onMore, count }: LoadMoreProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <span role="status">{hasMore ? `${count}+` : count}</span>
      {hasMore && (
        <Button
          size="sm"
          loading={loading}
          onClick={() => {
            onMore();
          }}
        >
          {texts.common.loadMore}
        </Button>
      )}
    </div>
  );
}
