import { formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import type { Series } from "./series-view.ts";

/** The sums of the range, each with what it is made of. */
export function FigureStats({
  total,
  isStale,
}: {
  readonly total: Series["total"];
  readonly isStale: boolean;
}) {
  const asked = total.requests + total.errors;
  return (
    <div aria-busy={isStale || undefined}>
      <StatRow>
        <Stat label="Cost" value={<Money credits={total.cost} />} hint="credits" />
        <Stat label="Requests" value={formatNumber(total.requests)} hint="answered" />
        <Stat
          label="Tokens"
          value={formatNumber(total.input_tokens + total.output_tokens)}
          hint={`${formatNumber(total.input_tokens)} in, ${formatNumber(total.output_tokens)} out`}
        />
        <Stat
          label="Errors"
          value={formatNumber(total.errors)}
          hint={asked === 0 ? "none asked" : `${formatPercent(total.errors / asked)} of all`}
        />
      </StatRow>
    </div>
  );
}
