import { Badge } from "../../ui/badge.tsx";
import { formatMoney, formatMs } from "../../ui/format.ts";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { deltasOf, formatQuality } from "./effect-words.ts";
import { type Report, STRATEGIES, type Strategy } from "./strategies.ts";

export interface StrategyCardsProps {
  readonly value: Strategy;
  readonly saved: Strategy;
  readonly onValueChange: (strategy: Strategy) => void;
  readonly disabled: boolean;
  /** Undefined while it loads; null where there is none to be had. */
  readonly report: Report | undefined | null;
}

/** The four strategies, each with what it would have meant for the last requests. */
export function StrategyCards({ value, saved, onValueChange, disabled, report }: StrategyCardsProps) {
  return (
    <RadioGroup
      label="Strategy"
      hideLabel
      columns={2}
      value={value}
      onValueChange={onValueChange}
      disabled={disabled}
      options={STRATEGIES.map((strategy) => ({
        value: strategy.value,
        label: (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {strategy.name}
            <code className="text-xs font-normal text-muted">{strategy.value}</code>
            {strategy.value === saved && <Badge tone="accent">In use</Badge>}
          </span>
        ),
        description: (
          <>
            {strategy.words}
            <CardEffect strategy={strategy.value} report={report} />
          </>
        ),
      }))}
    />
  );
}

function CardEffect({ strategy, report }: { strategy: Strategy; report: Report | undefined | null }) {
  if (report === undefined) return <Skeleton className="mt-2.5 h-4 w-3/4" />;
  const effect = report?.strategies.find((one) => one.strategy === strategy);
  if (report === null || effect === undefined || report.requests === 0) return null;
  const [cost] = deltasOf(report.actual, effect, effect.difference);
  return (
    <span className="mt-2.5 flex flex-wrap gap-x-3 gap-y-0.5 border-t border-line pt-2 text-text">
      <span>
        {formatMoney(effect.cost)}
        {cost !== undefined && cost.turn !== "same" && <span className="text-muted"> ({cost.change})</span>}
      </span>
      <span>{formatMs(effect.expected_latency_ms)}</span>
      <span>quality {formatQuality(effect.predicted_quality)}</span>
      <span className="text-muted">
        {effect.moved === 0 ? "none would move" : `${effect.moved} of ${report.requests} would move`}
      </span>
    </span>
  );
}
