import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import { texts } from "../../texts/texts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime, formatNumber } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type Delta, deltasOf, figureOf, MEASURED, type Measured, writeFigure } from "./effect-words.ts";
import { nameOf, type Report, STRATEGIES, type Strategy } from "./strategies.ts";

const TEXTS = texts.routing.whatIf;

const TURNS = { better: "text-positive", worse: "text-warning", same: "text-muted" } as const;

export interface WhatIfProps {
  readonly strategy: Strategy;
  readonly report: Report | undefined;
  /** A newer report is on its way. */
  readonly isStale: boolean;
}

/** The last requests under every strategy, as bars; the strategy that is being looked at stands out. */
export function WhatIf({ strategy, report, isStale }: WhatIfProps) {
  if (report === undefined) return <WhatIfSkeleton />;
  const effect = report.strategies.find((one) => one.strategy === strategy);
  if (effect === undefined || report.requests === 0) return <NothingYet ownStrategy={report.own_strategy} />;
  const deltas = deltasOf(report.actual, effect.difference);
  return (
    <Card className="grid content-start gap-5">
      <p className="text-sm text-muted">{lookedAt(report)}</p>
      <div
        aria-busy={isStale}
        className={cx("grid gap-x-8 gap-y-6 transition-opacity lg:grid-cols-3", isStale && "opacity-60")}
      >
        {MEASURED.map((measure) => (
          <MeasureBars key={measure} measure={measure} report={report} strategy={strategy} />
        ))}
      </div>
      <p className="text-sm text-muted">
        {effect.moved === 0 ? TEXTS.noneMoved : TEXTS.moved(formatNumber(effect.moved), formatNumber(report.requests))}{" "}
        {report.own_strategy > 0 && TEXTS.ownStrategy(report.own_strategy)}
      </p>
      <p role="status" className="sr-only">
        {isStale ? "" : TEXTS.spoken(nameOf(strategy), deltas.map(spoken).join(", "))}
      </p>
    </Card>
  );
}

interface MeasureBarsProps {
  readonly measure: Measured;
  readonly report: Report;
  readonly strategy: Strategy;
}

/** One measure of what happened and of every strategy. */
function MeasureBars({ measure, report, strategy }: MeasureBarsProps) {
  const { name } = TEXTS.measures[measure];
  const rows = [
    { id: "actual", label: TEXTS.actual, value: figureOf(report.actual, measure), delta: undefined },
    ...STRATEGIES.flatMap((one) => {
      const effect = report.strategies.find((known) => known.strategy === one);
      if (effect === undefined) return [];
      const delta = deltasOf(report.actual, effect.difference).find((known) => known.measure === measure);
      return [{ id: one, label: nameOf(one), value: figureOf(effect, measure), delta }];
    }),
  ];
  const most = Math.max(...rows.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <table className="w-full self-start text-left">
      <caption className="pb-2 text-left font-semibold">{name}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{TEXTS.strategy}</th>
          <th scope="col">{TEXTS.value}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, label, value, delta }) => (
          <tr key={id} className={cx("align-top", id === strategy && "font-semibold")}>
            <th
              scope="row"
              className={cx("w-28 py-1.5 pr-3 text-sm", id === strategy ? "font-semibold" : "font-normal")}
            >
              {label}
            </th>
            <td className="py-1.5">
              <span className="flex items-center gap-2">
                <span aria-hidden="true" className="h-3 grow overflow-hidden rounded-sm bg-hover">
                  <span
                    className={cx("block h-full rounded-sm", barColour(id, strategy))}
                    style={{ width: `${Math.max(1, (value / most) * 100)}%` }}
                  />
                </span>
                <span className="w-22 shrink-0 text-right text-sm whitespace-nowrap tabular-nums">
                  {writeFigure(measure, value)}
                </span>
              </span>
              {delta !== undefined && <span className={cx("text-xs", TURNS[delta.turn])}>{delta.change}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function barColour(id: string, strategy: Strategy): string {
  if (id === strategy) return "bg-accent";
  return id === "actual" ? "bg-edge" : "bg-line-strong";
}

function spoken({ measure, change }: Delta): string {
  return TEXTS.spokenChange(TEXTS.measures[measure].name, change);
}

function lookedAt({ requests, from, to, sampled, one_in: oneIn }: Report): string {
  const count = sampled
    ? TEXTS.sample(formatNumber(requests), formatNumber(Math.round(oneIn)))
    : requests === 1
      ? TEXTS.lastOne
      : TEXTS.last(formatNumber(requests));
  if (from === null || to === null) return count;
  return requests === 1
    ? TEXTS.moment(count, formatDateTime(from))
    : TEXTS.span(count, formatDateTime(from), formatDateTime(to));
}

function NothingYet({ ownStrategy }: { readonly ownStrategy: number }) {
  return (
    <EmptyState
      icon={<History />}
      title={TEXTS.empty}
      action={
        <Link to="/playground" className={buttonClass()}>
          {TEXTS.playground}
        </Link>
      }
    >
      {ownStrategy > 0 ? TEXTS.emptyOwn : TEXTS.emptyText}
    </EmptyState>
  );
}

function WhatIfSkeleton() {
  return (
    <Card>
      <div role="status" aria-busy="true" className="grid gap-4 lg:grid-cols-3">
        <span className="sr-only">{TEXTS.loading}</span>
        <Skeleton className="h-5 w-1/2" />
        {MEASURED.map((measure) => (
          <Skeleton key={measure} className="h-40 w-full" />
        ))}
      </div>
    </Card>
  );
}
