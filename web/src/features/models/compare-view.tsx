import { Link } from "@tanstack/react-router";
import { Columns2, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Offer } from "../../api/catalogue.ts";
import { blendedPrice } from "../../api/pricing.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Money } from "../../ui/money.tsx";
import { dayOf, describeDay } from "./availability.ts";
import { AvailabilityStrip } from "./availability-strip.tsx";
import { qualityOf } from "./model-filters.ts";
import { ModelBadges, ModelLink, Unknown } from "./model-table.tsx";
import { PriceText } from "./price-text.tsx";

const TEXTS = texts.models.compare;

interface Row {
  readonly label: string;
  readonly show: (offer: Offer) => ReactNode;
  /** The value that the best is chosen by; undefined: not known. */
  readonly rank?: (offer: Offer) => number | undefined;
  /** What the best is called. */
  readonly best?: { readonly word: string; readonly isHigh?: boolean };
}

const lowest = { word: TEXTS.lowest };
const highest = { word: TEXTS.highest, isHigh: true };
const number = (value: number | null) => (value === null ? <Unknown /> : formatNumber(value));
const duration = (value: number | null) => (value === null ? <Unknown /> : formatMs(value));
const words = (list: readonly string[]) => (list.length === 0 ? <Unknown /> : list.join(", "));

const ROWS: readonly Row[] = [
  { label: TEXTS.rows.type, show: (offer) => <ModelBadges offer={offer} /> },
  {
    label: TEXTS.rows.price,
    show: ({ pricing, provider_pricing: provider, own_key: byOwnKey }) => (
      <PriceText long pricing={pricing} provider={provider} byOwnKey={byOwnKey} />
    ),
  },
  {
    label: TEXTS.rows.blended,
    show: ({ pricing }) => {
      const price = blendedPrice(pricing);
      return price === undefined ? <Unknown /> : <Money credits={price} />;
    },
    rank: ({ pricing }) => blendedPrice(pricing),
    best: lowest,
  },
  {
    label: TEXTS.rows.quality,
    show: (offer) => number(qualityOf(offer)),
    rank: (offer) => qualityOf(offer) ?? undefined,
    best: highest,
  },
  {
    label: TEXTS.rows.latency,
    show: ({ live }) => duration(live.latency_ms),
    rank: ({ live }) => live.latency_ms ?? undefined,
    best: lowest,
  },
  {
    label: TEXTS.rows.firstToken,
    show: ({ live }) => duration(live.first_token_ms),
    rank: ({ live }) => live.first_token_ms ?? undefined,
    best: lowest,
  },
  {
    label: TEXTS.rows.throughput,
    show: ({ live }) => number(live.tokens_per_second),
    rank: ({ live }) => live.tokens_per_second ?? undefined,
    best: highest,
  },
  {
    label: TEXTS.rows.errorRate,
    show: ({ live }) => (live.calls === 0 ? <Unknown /> : formatPercent(live.error_rate)),
    rank: ({ live }) => (live.calls === 0 ? undefined : live.error_rate),
    best: lowest,
  },
  {
    label: TEXTS.rows.uptime,
    show: ({ availability }) => (
      <>
        <AvailabilityStrip stretches={availability} />
        <span aria-hidden="true" className="text-sm text-muted">
          {describeDay(availability)}
        </span>
      </>
    ),
    rank: ({ availability }) => dayOf(availability).served,
    best: highest,
  },
  {
    label: TEXTS.rows.context,
    show: ({ context_window }) => number(context_window),
    rank: ({ context_window }) => context_window ?? undefined,
    best: highest,
  },
  {
    label: TEXTS.rows.output,
    show: ({ max_output_tokens }) => number(max_output_tokens),
    rank: ({ max_output_tokens }) => max_output_tokens ?? undefined,
    best: highest,
  },
  { label: TEXTS.rows.streaming, show: ({ streaming }) => (streaming ? TEXTS.yes : TEXTS.no) },
  { label: TEXTS.rows.capabilities, show: ({ capabilities }) => words(capabilities) },
  { label: TEXTS.rows.specialties, show: ({ specialties }) => words(specialties) },
  { label: TEXTS.rows.description, show: ({ description }) => description || <Unknown /> },
];

interface CompareViewProps {
  readonly offers: readonly Offer[];
  readonly onRemove: (name: string) => void;
}

/** Two to four models side by side. */
export function CompareView({ offers, onRemove }: CompareViewProps) {
  const [first, second] = offers;
  if (first === undefined || second === undefined) {
    return (
      <EmptyState icon={<Columns2 />} title={TEXTS.title}>
        {TEXTS.text}
      </EmptyState>
    );
  }
  return (
    <div className="grid min-w-0 gap-4">
      <div
        role="group"
        aria-label={TEXTS.label}
        tabIndex={0}
        className="relative min-w-0 overflow-x-auto rounded-lg border border-line bg-surface"
      >
        <table
          className="w-full table-fixed border-separate border-spacing-0 text-left"
          style={{ minWidth: `${7 + offers.length * 11}rem` }}
        >
          <caption className="sr-only">{TEXTS.caption}</caption>
          <thead>
            <tr>
              <th scope="col" className="w-28 border-b border-line bg-subtle px-3 py-2.5 sm:w-52 sm:px-4">
                <span className="sr-only">{TEXTS.property}</span>
              </th>
              {offers.map((offer) => (
                <th
                  key={offer.full_name}
                  scope="col"
                  className="border-b border-line bg-subtle px-3 py-2.5 align-top sm:px-4"
                >
                  <span className="flex items-start justify-between gap-2">
                    <ModelLink offer={offer} />
                    <IconButton
                      label={TEXTS.remove(offer.full_name)}
                      size="sm"
                      icon={<X aria-hidden="true" />}
                      className="-my-1.5"
                      onClick={() => onRemove(offer.full_name)}
                    />
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row.label} className="[&:last-child>*]:border-b-0">
                <th
                  scope="row"
                  className="border-b border-line px-3 py-2.5 align-top text-sm font-normal text-muted sm:px-4"
                >
                  {row.label}
                </th>
                {offers.map((offer) => (
                  <td
                    key={offer.full_name}
                    className="border-b border-line px-3 py-2.5 align-top wrap-anywhere sm:px-4"
                  >
                    {row.show(offer)}
                    {isBest(row, offer, offers) && (
                      <Badge tone="positive" className="ml-2">
                        {row.best?.word}
                      </Badge>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>
        <Link
          to="/playground"
          search={{ model: first.full_name, against: second.full_name }}
          className={buttonClass("secondary")}
        >
          {TEXTS.tryBoth}
        </Link>
      </div>
    </div>
  );
}

/** Whether an offer is the best of those that differ. */
function isBest({ rank, best }: Row, offer: Offer, offers: readonly Offer[]): boolean {
  if (rank === undefined || best === undefined) return false;
  const ranks = offers.map(rank).filter((value) => value !== undefined);
  if (new Set(ranks).size < 2) return false;
  return rank(offer) === (best.isHigh === true ? Math.max(...ranks) : Math.min(...ranks));
}
