import { memo } from "react";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { cx } from "../../ui/cx.ts";
import { formatDay, formatHour, formatMs, formatNumber, formatSecond } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import type { RequestRow } from "./request-feed.ts";

/** The columns' widths; on phones a row has two lines instead. */
export const GRID =
  "grid grid-cols-[8.5rem_10.5rem_minmax(0,2fr)_7rem_4.5rem_7rem] gap-x-4 px-4 lg:grid-cols-[8.5rem_10.5rem_minmax(0,1.6fr)_minmax(0,1fr)_minmax(0,1.1fr)_7rem_4.5rem_7rem]";

/** The heads of the columns; times are those of a zone. */
export function columnsIn(zone: string) {
  const { columns } = texts.requests;
  return [
    { label: columns.timeIn(zone), className: "truncate" },
    { label: columns.status, className: "" },
    { label: columns.model, className: "" },
    { label: columns.task, className: "max-lg:hidden" },
    { label: columns.key, className: "max-lg:hidden" },
    { label: columns.tokens, className: "text-right" },
    { label: columns.latency, className: "text-right" },
    { label: columns.cost, className: "text-right" },
  ];
}

interface RequestListRowProps {
  readonly row: RequestRow;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly zone: string;
  readonly isActive: boolean;
  readonly isFresh: boolean;
  readonly onOpen: (id: string) => void;
  readonly onActive: (id: string) => void;
}

/** One request in a line. Kept as it is while the list scrolls around it. */
export const RequestListRow = memo(
  function RequestListRow(props: RequestListRowProps) {
    const { row, index, top, height, zone, isActive, isFresh, onOpen, onActive } = props;
    const tokens = texts.requests.tokens(formatNumber(row.input_tokens), formatNumber(row.output_tokens));
    const cell = "truncate";
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys, by aria-activedescendant.
      <div
        id={`request-${row.id}`}
        role="row"
        tabIndex={-1}
        aria-rowindex={index + 2}
        aria-selected={isActive}
        onClick={() => {
          onActive(row.id);
          onOpen(row.id);
        }}
        style={{ transform: `translateY(${top}px)`, height }}
        className={cx(
          "absolute inset-x-0 top-0 cursor-pointer border-b border-line hover:bg-subtle",
          "max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:content-center max-sm:gap-x-3 max-sm:gap-y-0.5 max-sm:px-3",
          "sm:items-center",
          SM_GRID,
          isActive && "bg-accent-soft! outline-2 -outline-offset-2 outline-accent",
          isFresh && "animate-fade",
        )}
      >
        <span
          role="gridcell"
          tabIndex={-1}
          className="truncate max-sm:order-4 max-sm:text-right max-sm:text-xs max-sm:text-muted"
        >
          {timeOf(row.created_at, zone)}
        </span>
        <span role="gridcell" tabIndex={-1} className="flex min-w-0 max-sm:order-2 max-sm:justify-end">
          <StatusBadge status={row.status} errorType={row.error_type} />
        </span>
        <span role="gridcell" tabIndex={-1} className="truncate font-medium max-sm:order-1">
          {row.model ?? <span className="font-normal text-muted">{texts.requests.noModel}</span>}
        </span>
        <span role="gridcell" tabIndex={-1} className={cx(cell, "max-lg:hidden")}>
          {row.task}
        </span>
        <span role="gridcell" tabIndex={-1} className={cx(cell, "text-muted max-lg:hidden")}>
          {row.key_name ?? `…${row.key_id.slice(-8)}`}
        </span>
        <span role="gridcell" tabIndex={-1} className="truncate text-right text-muted max-sm:hidden">
          {tokens}
        </span>
        <span role="gridcell" tabIndex={-1} className="truncate text-right max-sm:hidden">
          {formatMs(row.latency_ms)}
        </span>
        <span
          role="gridcell"
          tabIndex={-1}
          className="truncate text-right max-sm:order-3 max-sm:text-left max-sm:text-xs max-sm:text-muted"
        >
          <span className="max-sm:hidden">
            <Money credits={row.cost} />
          </span>
          <span className="sm:hidden">
            <Sentence
              text={texts.requests.costAndLatency}
              parts={{ cost: <Money credits={row.cost} />, latency: formatMs(row.latency_ms) }}
            />
          </span>
        </span>
      </div>
    );
  },
  (one, other) =>
    one.row === other.row &&
    one.index === other.index &&
    one.top === other.top &&
    one.height === other.height &&
    one.zone === other.zone &&
    one.isActive === other.isActive &&
    one.isFresh === other.isFresh,
);

const SM_GRID =
  "sm:grid sm:grid-cols-[8.5rem_10.5rem_minmax(0,2fr)_7rem_4.5rem_7rem] sm:gap-x-4 sm:px-4 lg:grid-cols-[8.5rem_10.5rem_minmax(0,1.6fr)_minmax(0,1fr)_minmax(0,1.1fr)_7rem_4.5rem_7rem]";

/** Today's requests by their clock alone. */
function timeOf(at: string, zone: string): string {
  const isToday = formatDay(at, zone) === formatDay(Date.now(), zone);
  return isToday ? formatSecond(at, zone) : formatHour(at, zone);
}
