import { Link } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo } from "react";
import type { Offer } from "../../api/catalogue.ts";
import { Badge } from "../../ui/badge.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { cx } from "../../ui/cx.ts";
import { formatCompact, formatMs, formatNumber } from "../../ui/format.ts";
import { describeDay } from "./availability.ts";
import { AvailabilityStrip } from "./availability-strip.tsx";
import type { Sort } from "./model-filters.ts";
import { PriceText } from "./price-text.tsx";

const HEAD = "h-9 border-b border-line bg-subtle px-3 text-xs font-medium whitespace-nowrap text-muted";
const CELL = "border-b border-line px-3 py-2.5 align-top";

export interface ModelListProps {
  readonly offers: readonly Offer[];
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly compared: readonly string[];
  readonly canCompareMore: boolean;
  readonly onCompare: (name: string) => void;
}

/** The models side by side with their figures. */
export function ModelTable({ offers, sort, onSort, compared, canCompareMore, onCompare }: ModelListProps) {
  const heads: readonly { readonly label: string; readonly sort?: Sort; readonly isRight?: boolean }[] = [
    { label: "Model", sort: "name" },
    { label: "Type" },
    { label: "Price per 1k tokens", sort: "price" },
    { label: "Context", isRight: true },
    { label: "Quality", sort: "quality", isRight: true },
    { label: "Latency", sort: "latency", isRight: true },
    { label: "Tokens/s", sort: "throughput", isRight: true },
    { label: "Last 24 h" },
  ];
  return (
    <div
      role="region"
      aria-label="Models"
      tabIndex={0}
      className="relative min-w-0 overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption className="sr-only">Models with price, declared quality, speed and availability</caption>
        <thead>
          <tr>
            <th scope="col" className={HEAD}>
              <span className="sr-only">Compare</span>
            </th>
            {heads.map((head) => (
              <th
                key={head.label}
                scope="col"
                aria-sort={head.sort === sort ? orderOf(sort) : undefined}
                className={cx(HEAD, head.isRight === true && "text-right")}
              >
                {head.sort === undefined ? (
                  head.label
                ) : (
                  <SortButton {...head} by={head.sort} current={sort} onSort={onSort} />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {offers.map((offer) => {
            const isCompared = compared.includes(offer.full_name);
            return (
              <ModelRow
                key={offer.full_name}
                offer={offer}
                isCompared={isCompared}
                canCompare={isCompared || canCompareMore}
                onCompare={onCompare}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function orderOf(sort: Sort): "ascending" | "descending" {
  return sort === "quality" || sort === "throughput" ? "descending" : "ascending";
}

interface SortButtonProps {
  readonly label: string;
  readonly by: Sort;
  readonly current: Sort;
  readonly onSort: (sort: Sort) => void;
}

function SortButton({ label, by, current, onSort }: SortButtonProps) {
  const Arrow = orderOf(by) === "ascending" ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => onSort(by)}
      className="-mx-1 inline-flex items-center gap-1 rounded-sm px-1 py-1 hover:text-text"
    >
      {label}
      <Arrow aria-hidden="true" className={cx("size-3.5", by !== current && "opacity-30")} />
    </button>
  );
}

interface ModelRowProps {
  readonly offer: Offer;
  readonly isCompared: boolean;
  readonly canCompare: boolean;
  readonly onCompare: (name: string) => void;
}

const ModelRow = memo(
  function ModelRow({ offer, isCompared, canCompare, onCompare }: ModelRowProps) {
    const { live } = offer;
    return (
      <tr className="hover:bg-subtle [&:last-child>td]:border-b-0">
        <td className={cx(CELL, "w-px")}>
          <Checkbox
            label={`Compare ${offer.full_name}`}
            hideLabel
            checked={isCompared}
            disabled={!canCompare}
            onCheckedChange={() => onCompare(offer.full_name)}
          />
        </td>
        <td className={cx(CELL, "min-w-56 max-w-96")}>
          <ModelLink offer={offer} />
          <p className="line-clamp-1 text-sm text-muted">{offer.description}</p>
        </td>
        <td className={CELL}>
          <ModelBadges offer={offer} />
        </td>
        <td className={CELL}>
          <PriceText pricing={offer.pricing} byOwnKey={offer.own_key} />
        </td>
        <td className={cx(CELL, "text-right whitespace-nowrap")}>
          {offer.context_window === null ? <Unknown /> : formatCompact(offer.context_window)}
        </td>
        <td className={cx(CELL, "text-right")}>{offer.performance.accuracy_score ?? <Unknown />}</td>
        <td className={cx(CELL, "text-right whitespace-nowrap")}>
          {live.latency_ms === null ? <Unknown /> : formatMs(live.latency_ms)}
        </td>
        <td className={cx(CELL, "text-right")}>
          {live.tokens_per_second === null ? <Unknown /> : formatNumber(Math.round(live.tokens_per_second))}
        </td>
        <td className={cx(CELL, "w-44 min-w-36")}>
          <AvailabilityStrip stretches={offer.availability} />
          <span aria-hidden="true" className="block truncate text-xs text-muted">
            {describeDay(offer.availability).replace(" served in 24 h", "")}
          </span>
        </td>
      </tr>
    );
  },
  (before, after) =>
    before.offer === after.offer && before.isCompared === after.isCompared && before.canCompare === after.canCompare,
);

/** A model's name, which leads to its page, and whose it is. */
export function ModelLink({ offer }: { readonly offer: Offer }) {
  return (
    <span className="wrap-anywhere">
      <Link to="/models/$" params={{ _splat: offer.full_name }} className="rounded-sm font-medium hover:underline">
        <span className="font-normal text-muted">{offer.provider}/</span>
        {offer.name}
      </Link>
    </span>
  );
}

/** Of which type it is, and whatever is unusual about it. */
export function ModelBadges({ offer }: { readonly offer: Offer }) {
  return (
    <span className="flex flex-wrap gap-1">
      <Badge>{offer.type}</Badge>
      {offer.own_key && <Badge tone="info">your key</Badge>}
      {offer.state === "probation" && <Badge tone="info">on probation</Badge>}
      {!offer.live.available && (
        <Badge tone="danger">{offer.live.state === "out of service" ? "out of service" : "not available"}</Badge>
      )}
    </span>
  );
}

/** Shown where there is no figure. */
export function Unknown() {
  return (
    <span className="text-faint">
      <span aria-hidden="true">–</span>
      <span className="sr-only">not known</span>
    </span>
  );
}
