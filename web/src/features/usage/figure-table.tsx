import { Link } from "@tanstack/react-router";
import type { QueryOf } from "@trunkline/sdk";
import { type KeyboardEvent, memo, useMemo, useRef } from "react";
import { texts } from "../../texts/texts.ts";
import { cx } from "../../ui/cx.ts";
import { type FigureColumn, type SeriesView, writeFigure } from "./series-view.ts";
import type { Metric } from "./usage-search.ts";

interface FigureTableProps {
  readonly label: string;
  readonly view: SeriesView;
  /** How each part of the range is called. */
  readonly names: readonly string[];
  readonly ends: readonly string[];
  readonly metric: Metric;
  readonly asked: QueryOf<"GET /v1/usage/series">;
  readonly active: number | undefined;
  readonly onActiveChange: (index: number | undefined) => void;
}

const HEAD = "h-9 bg-subtle px-4 text-xs font-medium whitespace-nowrap text-muted";

/** The figures that the chart is drawn from, newest first, with their sum. Its rows and the chart share one cursor. */
export function FigureTable({ label, view, names, ends, metric, asked, active, onActiveChange }: FigureTableProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { model, provider, key, task } = asked;
  // The sum of a row stands beside its name, in sight however many groups there are.
  const columns = useMemo(
    () => view.columns.toSorted((a, b) => Number(b.id === "total") - Number(a.id === "total")),
    [view],
  );

  function moveBy(event: KeyboardEvent) {
    // Newest first: down is back in time.
    const step = event.key === "ArrowDown" ? -1 : event.key === "ArrowUp" ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const start = active ?? (step < 0 ? names.length : -1);
    const next = Math.max(0, Math.min(names.length - 1, start + step));
    onActiveChange(next);
    frame.current?.querySelector(`[data-part="${next}"]`)?.scrollIntoView({ block: "nearest" });
  }

  return (
    <div
      ref={frame}
      role="group"
      aria-label={label}
      tabIndex={0}
      onKeyDown={moveBy}
      onPointerLeave={() => onActiveChange(undefined)}
      onBlur={() => onActiveChange(undefined)}
      className="max-h-128 min-w-0 scroll-py-10 overflow-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-right">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 z-20">
          <tr>
            <th scope="col" className={cx(HEAD, "sticky left-0 border-b border-line text-left")}>
              {texts.usage.time}
            </th>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={cx(HEAD, "border-b border-line")}>
                <span className="inline-flex max-w-48 items-center gap-1.5">
                  {column.colour !== undefined && (
                    <span
                      aria-hidden="true"
                      className="size-2 shrink-0 rounded-[2px]"
                      style={{ background: `var(--series-${column.colour})` }}
                    />
                  )}
                  <span className="truncate">{column.label}</span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names
            .map((name, index) => (
              <FigureRow
                key={view.starts[index]}
                index={index}
                name={name}
                start={view.starts[index] ?? ""}
                end={ends[index] ?? ""}
                columns={columns}
                metric={metric}
                model={model}
                provider={provider}
                apiKey={key}
                task={task}
                isActive={index === active}
                onActiveChange={onActiveChange}
              />
            ))
            .reverse()}
        </tbody>
        <tfoot className="sticky bottom-0 z-20">
          <tr className="font-semibold">
            <th scope="row" className="sticky left-0 h-10 border-t border-line bg-subtle px-4 text-left">
              {metric === "latency" ? texts.usage.wholeRange : texts.usage.total}
            </th>
            {columns.map((column) => (
              <td key={column.id} className="border-t border-line bg-subtle px-4 whitespace-nowrap">
                {writeFigure(column.total, metric, column.id)}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

interface FigureRowProps {
  readonly index: number;
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly columns: readonly FigureColumn[];
  readonly metric: Metric;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly apiKey: string | undefined;
  readonly task: string | undefined;
  readonly isActive: boolean;
  readonly onActiveChange: (index: number | undefined) => void;
}

/** Kept as it is while the cursor moves elsewhere: there may be hundreds of them. */
const FigureRow = memo(function FigureRow(props: FigureRowProps) {
  const { index, name, start, end, columns, metric, isActive, onActiveChange } = props;
  const { model, provider, apiKey, task } = props;
  const cell = isActive ? "bg-accent-soft" : "bg-surface";
  return (
    <tr data-part={index} data-active={isActive || undefined} onPointerEnter={() => onActiveChange(index)}>
      <th
        scope="row"
        className={cx("sticky left-0 z-10 h-9 border-b border-line px-4 text-left font-normal whitespace-nowrap", cell)}
      >
        <Link
          to="/requests"
          search={{
            from: start,
            to: end,
            ...(model === undefined ? {} : { model }),
            ...(provider === undefined ? {} : { provider }),
            ...(apiKey === undefined ? {} : { key: apiKey }),
            ...(task === undefined ? {} : { task }),
          }}
          preload={false}
          className="rounded-sm underline-offset-2 hover:underline"
        >
          {name}
        </Link>
      </th>
      {columns.map((column) => (
        <td
          key={column.id}
          className={cx(
            "border-b border-line px-4 whitespace-nowrap",
            cell,
            column.values[index] === 0 && "text-muted",
          )}
        >
          {writeFigure(column.values[index] ?? null, metric, column.id)}
        </td>
      ))}
    </tr>
  );
});
