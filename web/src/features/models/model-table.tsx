import { Link } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo } from "react";
import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { cx } from "../../ui/cx.ts";
import { formatCompact, formatMs, formatNumber } from "../../ui/format.ts";
import { describeDayShortly } from "./availability.ts";
import { AvailabilityStrip } from "./availability-strip.tsx";
import { trustOf } from "./live-words.ts";
import { ModalityIcons } from "./modality-icons.tsx";
import { qualityOf, type Sort } from "./model-filters.ts";
import { PriceText } from "./price-text.tsx";

const TEXTS = texts.models;

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
    { label: TEXTS.columns.model, sort: "name" },
    { label: TEXTS.columns.modalities },
    { label: TEXTS.columns.price, sort: "price" },
    { label: TEXTS.columns.context, isRight: true },
    { label: TEXTS.columns.output, isRight: true },
    { label: TEXTS.columns.quality, sort: "quality", isRight: true },
    { label: TEXTS.columns.latency, sort: "latency", isRight: true },
    { label: TEXTS.columns.throughput, sort: "throughput", isRight: true },
    { label: TEXTS.columns.uptime },
  ];
  return (
    <div
      role="group"
      aria-label={TEXTS.title}
      tabIndex={0}
      className="relative min-w-0 overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption className="sr-only">{TEXTS.columns.caption}</caption>
        <thead>
          <tr>
            <th scope="col" className={HEAD}>
              <span className="sr-only">{TEXTS.columns.compare}</span>
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
            label={TEXTS.compareModel(offer.full_name)}
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
          <ModalityIcons offer={offer} />
          <ModelMarks offer={offer} />
        </td>
        <td className={CELL}>
          <PriceText pricing={offer.pricing} provider={offer.provider_pricing} byOwnKey={offer.own_key} />
        </td>
        <td className={cx(CELL, "text-right whitespace-nowrap")}>
          {offer.context_window === null ? <Unknown /> : formatCompact(offer.context_window)}
        </td>
        <td className={cx(CELL, "text-right whitespace-nowrap")}>
          {offer.max_output_tokens === null ? <Unknown /> : formatCompact(offer.max_output_tokens)}
        </td>
        <td className={cx(CELL, "text-right")}>{qualityOf(offer) ?? <Unknown />}</td>
        <td className={cx(CELL, "text-right whitespace-nowrap")}>
          {live.latency_ms === null ? <Unknown /> : formatMs(live.latency_ms)}
        </td>
        <td className={cx(CELL, "text-right")}>
          {live.tokens_per_second === null ? <Unknown /> : formatNumber(Math.round(live.tokens_per_second))}
        </td>
        <td className={cx(CELL, "w-44 min-w-36")}>
          <AvailabilityStrip stretches={offer.availability} />
          <span aria-hidden="true" className="block truncate text-xs text-muted">
            {describeDayShortly(offer.availability)}
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

/** What goes in and comes out, and whatever is unusual about it. */
export function ModelBadges({ offer }: { readonly offer: Offer }) {
  return (
    <span className="flex flex-wrap gap-1">
      <ModalityIcons offer={offer} />
      <ModelMarks offer={offer} />
    </span>
  );
}

/** Whatever is unusual about it. */
function ModelMarks({ offer: { own_key: isOwn, state, live } }: { readonly offer: Offer }) {
  const trust = trustOf(live);
  return (
    <>
      {isOwn && <Badge tone="info">{TEXTS.badges.ownKey}</Badge>}
      {state === "probation" && <Badge tone="info">{TEXTS.badges.probation}</Badge>}
      {!live.available ? (
        <Badge tone="danger">
          {live.state === "out of service" ? TEXTS.badges.outOfService : TEXTS.badges.unavailable}
        </Badge>
      ) : (
        trust !== "up" && <Badge tone={trust === "failing" ? "danger" : "warning"}>{TEXTS.badges[trust]}</Badge>
      )}
    </>
  );
}

/** Shown where there is no figure. */
export function Unknown() {
  return (
    <span className="text-faint">
      <span aria-hidden="true">–</span>
      <span className="sr-only">{TEXTS.unknown}</span>
    </span>
  );
}
