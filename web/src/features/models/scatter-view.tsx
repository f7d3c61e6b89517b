import { useNavigate } from "@tanstack/react-router";
import { ChartScatter } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { cx } from "../../ui/cx.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatMoney } from "../../ui/format.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { ModelLink } from "./model-table.tsx";
import { type Point, type Scatter, scatterOf } from "./scatter-points.ts";

const TEXTS = texts.models.chart;

const COLUMNS: readonly Column<Point>[] = [
  {
    id: "model",
    header: TEXTS.model,
    cell: ({ offer }) => <ModelLink offer={offer} />,
    sortBy: ({ offer }) => offer.full_name,
  },
  {
    id: "type",
    header: TEXTS.type,
    cell: ({ offer }) => texts.models.types[offer.type],
    sortBy: ({ offer }) => offer.type,
  },
  {
    id: "price",
    header: TEXTS.blended,
    cell: ({ price }) => (price === 0 ? texts.models.free : formatMoney(price)),
    sortBy: ({ price }) => price,
    align: "right",
  },
  {
    id: "quality",
    header: TEXTS.quality,
    cell: ({ quality }) => quality,
    sortBy: ({ quality }) => quality,
    align: "right",
  },
];

interface ScatterViewProps {
  readonly offers: readonly Offer[];
  readonly compared: readonly string[];
}

/** Price against quality, as a picture and as a table. */
export function ScatterView({ offers, compared }: ScatterViewProps) {
  const scatter = useMemo(() => scatterOf(offers), [offers]);
  if (scatter.points.length === 0) {
    return (
      <EmptyState icon={<ChartScatter />} title={TEXTS.emptyTitle}>
        {TEXTS.emptyText}
      </EmptyState>
    );
  }
  return (
    <div className="grid min-w-0 gap-4">
      <p className="max-w-prose text-sm text-muted">
        {TEXTS.text}
        {scatter.leftOut > 0 && ` ${TEXTS.leftOut(scatter.leftOut)}`}
      </p>
      <Picture scatter={scatter} compared={compared} />
      <details>
        <summary className="w-fit rounded-sm py-1 text-sm font-medium text-muted hover:text-text">
          {TEXTS.table}
        </summary>
        <Table
          label={TEXTS.tableLabel}
          columns={COLUMNS}
          rows={scatter.points}
          rowKey={({ offer }) => offer.full_name}
          className="mt-2 max-h-128"
        />
      </details>
    </div>
  );
}

/** In which order the keys go through the points. */
const STEPS: Readonly<Record<string, { readonly by: "x" | "y"; readonly step: 1 | -1 }>> = {
  ArrowRight: { by: "x", step: 1 },
  ArrowLeft: { by: "x", step: -1 },
  ArrowUp: { by: "y", step: 1 },
  ArrowDown: { by: "y", step: -1 },
};

function Picture({ scatter, compared }: { readonly scatter: Scatter; readonly compared: readonly string[] }) {
  const { points, priceTicks, qualityTicks, hasFree } = scatter;
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const [isShown, setIsShown] = useState(false);
  const current = points.find(({ offer }) => offer.full_name === active) ?? points[0];

  function moveBy(event: KeyboardEvent) {
    const move = STEPS[event.key];
    if (move === undefined || current === undefined) return;
    event.preventDefault();
    const ordered = move.by === "x" ? points : points.toSorted((one, other) => one.y - other.y || one.x - other.x);
    const next = ordered[ordered.indexOf(current) + move.step];
    if (next === undefined) return;
    setActive(next.offer.full_name);
    frame.current?.querySelector<HTMLElement>(`[data-name="${CSS.escape(next.offer.full_name)}"]`)?.focus();
  }

  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <span aria-hidden="true" className="text-xs text-muted [writing-mode:sideways-lr] self-center">
        {TEXTS.quality}
      </span>
      <div
        ref={frame}
        role="group"
        aria-label={TEXTS.group}
        onKeyDown={moveBy}
        onBlur={() => setIsShown(false)}
        className="relative mt-2 mr-3 mb-8 ml-7 h-80 sm:h-112"
      >
        {qualityTicks.map((tick) => (
          <span
            key={tick.value}
            aria-hidden="true"
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${tick.at * 100}%` }}
          >
            <span className="absolute -top-2.5 -left-7 w-6 text-right text-xs text-muted">{tick.value}</span>
          </span>
        ))}
        {priceTicks.map((tick) => (
          <span
            key={tick.value}
            aria-hidden="true"
            className="absolute inset-y-0 border-l border-line"
            style={{ left: `${tick.at * 100}%` }}
          >
            <span className="absolute -bottom-6 -translate-x-1/2 text-xs whitespace-nowrap text-muted">
              {formatMoney(tick.value)}
            </span>
          </span>
        ))}
        {hasFree && (
          <span aria-hidden="true" className="absolute -bottom-6 left-0 text-xs text-muted">
            {texts.models.free}
          </span>
        )}
        {points.map((point) => {
          const { full_name } = point.offer;
          return (
            <a
              key={full_name}
              data-name={full_name}
              href={`/models/${full_name}`}
              tabIndex={point === current ? 0 : -1}
              aria-label={describePoint(point)}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                void navigate({ to: "/models/$", params: { _splat: full_name } });
              }}
              onPointerEnter={() => {
                setActive(full_name);
                setIsShown(true);
              }}
              onPointerLeave={() => setIsShown(false)}
              onFocus={() => {
                setActive(full_name);
                setIsShown(true);
              }}
              className="absolute flex size-6 -translate-x-1/2 translate-y-1/2 items-center justify-center rounded-full"
              style={{ left: `${point.x * 100}%`, bottom: `${point.y * 100}%` }}
            >
              <span
                className={cx(
                  "size-2.5 rounded-full border border-surface bg-accent",
                  compared.includes(full_name) && "size-3.5 border-2 border-text",
                )}
              />
            </a>
          );
        })}
        {isShown && current !== undefined && <Hint point={current} />}
      </div>
      <span aria-hidden="true" className="col-start-2 text-center text-xs text-muted">
        {TEXTS.axisPrice}
      </span>
    </div>
  );
}

function Hint({ point }: { readonly point: Point }) {
  const { offer, price, quality, x, y } = point;
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-10 max-w-64 rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm shadow-overlay"
      style={{
        ...(x > 0.5 ? { right: `calc(${(1 - x) * 100}% + 14px)` } : { left: `calc(${x * 100}% + 14px)` }),
        ...(y > 0.5 ? { top: `${(1 - y) * 100}%` } : { bottom: `${y * 100}%` }),
      }}
    >
      <p className="font-medium wrap-anywhere">{offer.full_name}</p>
      <p className="text-muted">{TEXTS.hint(priceWords(price), quality)}</p>
    </div>
  );
}

function describePoint({ offer, price, quality }: Point): string {
  return TEXTS.point(offer.full_name, priceWords(price), quality);
}

function priceWords(price: number): string {
  return price === 0 ? texts.models.free : texts.models.price.amount1M(formatMoney(price));
}
