import { Link } from "@tanstack/react-router";
import { Equal, History, TrendingDown, TrendingUp } from "lucide-react";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime, formatNumber } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type Delta, deltasOf } from "./effect-words.ts";
import { nameOf, type Report, type Strategy } from "./strategies.ts";

const TURNS = { better: "text-positive", worse: "text-warning", same: "text-muted" } as const;

export interface WhatIfProps {
  readonly strategy: Strategy;
  readonly report: Report | undefined;
  /** A newer report is on its way. */
  readonly isStale: boolean;
}

/** What the strategy that is being looked at would have changed on the last requests. */
export function WhatIf({ strategy, report, isStale }: WhatIfProps) {
  if (report === undefined) return <WhatIfSkeleton />;
  const effect = report.strategies.find((one) => one.strategy === strategy);
  if (effect === undefined || report.requests === 0) return <NothingYet ownStrategy={report.own_strategy} />;
  const deltas = deltasOf(report.actual, effect, effect.difference);
  return (
    <Card className="grid content-start gap-4">
      <div>
        <h3 className="font-semibold">If it had been {nameOf(strategy).toLowerCase()}</h3>
        <p className="text-sm text-muted">{lookedAt(report)}</p>
      </div>
      <ul aria-busy={isStale} className={cx("grid gap-3 transition-opacity", isStale && "opacity-60")}>
        {deltas.map((delta) => (
          <DeltaLine key={delta.measure} delta={delta} />
        ))}
      </ul>
      <p className="text-sm text-muted">
        {effect.moved === 0
          ? "Every request would have gone to the same model."
          : `${formatNumber(effect.moved)} of ${formatNumber(report.requests)} requests would have gone to another model.`}
        {report.own_strategy > 0 &&
          ` ${formatNumber(report.own_strategy)} more brought a strategy of their own and would not follow a change here.`}
      </p>
      <p role="status" className="sr-only">
        {isStale ? "" : `${nameOf(strategy)}: ${deltas.map(spoken).join(", ")}.`}
      </p>
    </Card>
  );
}

function DeltaLine({ delta }: { readonly delta: Delta }) {
  const Icon = delta.turn === "same" ? Equal : delta.change.startsWith("+") ? TrendingUp : TrendingDown;
  return (
    <li className="grid grid-cols-[1fr_auto] items-baseline gap-x-4 border-t border-line pt-3">
      <span className="text-sm text-muted">{delta.name}</span>
      <span className={cx("flex items-center gap-1.5 text-lg font-semibold", TURNS[delta.turn])}>
        <Icon aria-hidden="true" className="size-4" />
        {delta.change}
        {delta.turn !== "same" && <span className="text-sm font-medium">{delta.words}</span>}
      </span>
      <span className="col-span-2 text-sm wrap-anywhere text-muted">{delta.span}</span>
    </li>
  );
}

function spoken({ name, change, words, turn }: Delta): string {
  return turn === "same" ? `${name} unchanged` : `${name} ${change}, ${words}`;
}

function lookedAt({ requests, from, to, sampled, one_in: oneIn }: Report): string {
  const count = sampled
    ? `A sample of ${formatNumber(requests)} of your requests, about one in ${formatNumber(Math.round(oneIn))}`
    : requests === 1
      ? "Your last request"
      : `Your last ${formatNumber(requests)} requests`;
  if (from === null || to === null) return `${count}.`;
  return requests === 1
    ? `${count}, ${formatDateTime(from)}.`
    : `${count}, ${formatDateTime(from)} to ${formatDateTime(to)}.`;
}

function NothingYet({ ownStrategy }: { readonly ownStrategy: number }) {
  return (
    <EmptyState
      icon={<History />}
      title="No requests to compare yet"
      action={
        <Link to="/playground" className={buttonClass()}>
          Open the playground
        </Link>
      }
    >
      {ownStrategy > 0
        ? "Your last requests all brought a strategy of their own. Those that leave it to the account are compared here."
        : "Send requests without a model, or with the model auto. Then this shows what every strategy would have cost, how fast it would have been and how good."}
    </EmptyState>
  );
}

function WhatIfSkeleton() {
  return (
    <Card>
      <div role="status" aria-busy="true" className="grid gap-4">
        <span className="sr-only">Loading the comparison</span>
        <Skeleton className="h-5 w-1/2" />
        {["cost", "speed", "quality"].map((measure) => (
          <Skeleton key={measure} className="h-12 w-full" />
        ))}
      </div>
    </Card>
  );
}
