import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { cx } from "./cx.ts";

export interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly itemKey: (item: Item) => string;
  readonly renderItem: (item: Item, index: number) => ReactNode;
  /** About how high an item is; the real height is measured. */
  readonly estimatePx?: number;
  /** Asked for more when the end comes into sight. */
  readonly onEnd?: () => void;
  /** Its height, such as `h-96`. */
  readonly className?: string;
}

/** A long list of which only what is in sight is drawn. */
export function VirtualList<Item>({
  label,
  items,
  itemKey,
  renderItem,
  estimatePx = 48,
  onEnd,
  className = "h-96",
}: VirtualListProps<Item>) {
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => estimatePx,
    overscan: 8,
  });
  const rows = virtualizer.getVirtualItems();
  const isAtEnd = rows.at(-1)?.index === items.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  return (
    <div
      ref={frame}
      tabIndex={0}
      role="region"
      aria-label={label}
      className={cx("overflow-y-auto rounded-md", className)}
    >
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map((row) => {
          const item = items[row.index];
          if (item === undefined) return null;
          return (
            <li
              key={itemKey(item)}
              ref={virtualizer.measureElement}
              data-index={row.index}
              aria-setsize={items.length}
              aria-posinset={row.index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {renderItem(item, row.index)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
