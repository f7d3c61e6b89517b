import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { formatDateTime } from "../../ui/format.ts";
import type { FeedState } from "./request-feed.ts";
import { columnsIn, GRID, RequestListRow } from "./request-list-row.tsx";

export interface RequestListHandle {
  readonly isScrolled: () => boolean;
  readonly toTop: () => void;
}

interface RequestListProps {
  readonly handle: Ref<RequestListHandle>;
  readonly state: FeedState;
  /** On phones a row takes two lines. Give a list of the other kind another key. */
  readonly isNarrow: boolean;
  readonly zone: string;
  /** The one that the sheet shows. */
  readonly openId: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onMore: () => void;
}

const TEXTS = texts.requests;
const ROW_PX = 41;
const NARROW_ROW_PX = 61;
const HEADER_PX = 36;
/** How many rows before the end the next page is requested. */
const AHEAD = 40;
const PAGE_STEP = 10;

/** A list of which only what is in sight is drawn, however long it is. Its rows are walked with the arrow keys. */
export function RequestList({ handle, state, isNarrow, zone, openId, onOpen, onMore }: RequestListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { rows, hasMore, isLoadingMore, error, searchedUntil } = state;
  const [activeId, setActiveId] = useState<string>();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => (isNarrow ? NARROW_ROW_PX : ROW_PX),
    overscan: 6,
    scrollMargin: isNarrow ? 0 : HEADER_PX,
    scrollPaddingStart: isNarrow ? 0 : HEADER_PX,
  });
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && !isLoadingMore && error === undefined && last >= rows.length - AHEAD;
  // A search that found nothing in its steps waits for a click to go on.
  const isStuck = searchedUntil !== null && hasMore && !isLoadingMore;

  useEffect(() => {
    if (isNearEnd && !isStuck) onMore();
  }, [isNearEnd, isStuck, onMore]);
  useImperativeHandle(
    handle,
    () => ({
      isScrolled: () => (frame.current?.scrollTop ?? 0) > 4,
      toTop: () => {
        frame.current?.scrollTo({ top: 0 });
        frame.current?.focus();
      },
    }),
    [],
  );

  const marked = openId ?? activeId;
  const activeIndex = marked === undefined ? -1 : rows.findIndex(({ id }) => id === marked);

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = {
      ArrowDown: activeIndex + 1,
      j: activeIndex + 1,
      ArrowUp: Math.max(0, activeIndex - 1),
      k: Math.max(0, activeIndex - 1),
      PageDown: activeIndex + PAGE_STEP,
      PageUp: Math.max(0, activeIndex - PAGE_STEP),
      Home: 0,
      End: rows.length - 1,
    };
    const target = steps[event.key];
    if (event.target instanceof HTMLButtonElement || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "Enter" && activeId !== undefined) {
      event.preventDefault();
      onOpen(activeId);
    } else if (target !== undefined) {
      event.preventDefault();
      const next = Math.min(rows.length - 1, target);
      setActiveId(rows[next]?.id);
      virtualizer.scrollToIndex(next, { align: "auto" });
    }
  }

  return (
    <div
      ref={frame}
      role="grid"
      aria-label={TEXTS.listLabel}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-activedescendant={shown.some(({ index }) => index === activeIndex) ? `request-${marked}` : undefined}
      aria-busy={isLoadingMore || undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="h-[max(22rem,calc(100dvh-13.25rem))] min-w-0 overflow-x-hidden overflow-y-auto rounded-lg border border-line bg-surface"
    >
      <div role="rowgroup" className="sticky top-0 z-10 max-sm:sr-only">
        <div
          role="row"
          tabIndex={-1}
          aria-rowindex={1}
          style={{ height: HEADER_PX }}
          className={cx(GRID, "items-center border-b border-line bg-subtle text-xs font-medium text-muted")}
        >
          {columnsIn(zone).map(({ label, className }) => (
            <span key={label} role="columnheader" tabIndex={-1} className={className}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {shown.map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <RequestListRow
              key={row.id}
              row={row}
              index={item.index}
              top={item.start - (isNarrow ? 0 : HEADER_PX)}
              height={item.size}
              zone={zone}
              isActive={item.index === activeIndex}
              isFresh={state.fresh.has(row.id)}
              onOpen={onOpen}
              onActive={setActiveId}
            />
          );
        })}
      </div>
      {(hasMore || error !== undefined) && (
        <div className="flex flex-wrap items-center justify-center gap-3 px-4 py-3 text-sm text-muted">
          {error !== undefined ? (
            <>
              {TEXTS.loadOlderFailed}
              <Button size="sm" onClick={onMore}>
                {texts.common.tryAgain}
              </Button>
            </>
          ) : isStuck ? (
            <>
              {TEXTS.searchedUntil(formatDateTime(searchedUntil, zone))}
              <Button size="sm" onClick={onMore}>
                {TEXTS.searchFurther}
              </Button>
            </>
          ) : (
            TEXTS.loadingOlder
          )}
        </div>
      )}
    </div>
  );
}
