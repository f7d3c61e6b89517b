import { ArrowLeft, ArrowRight } from "lucide-react";
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

export interface PagerProps {
  /** Undefined on the first page. */
  readonly onNewest?: (() => void) | undefined;
  /** Undefined on the last page. */
  readonly onOlder?: (() => void) | undefined;
  readonly loading?: boolean;
}

/** The lower edge of a list that is turned page by page, the newest first. */
export function Pager({ onNewest, onOlder, loading = false }: PagerProps) {
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2">
      <Button
        size="sm"
        disabled={onNewest === undefined}
        onClick={onNewest}
        icon={<ArrowLeft aria-hidden="true" />}
      >
        Newest
      </Button>
      <Button size="sm" loading={loading} disabled={onOlder === undefined} onClick={onOlder}>
        Older <ArrowRight aria-hidden="true" />
      </Button>
    </nav>
  );
}
