import { formatMoney, formatNumber, formatPercent } from "../../ui/format.ts";
import { Stat, StatRow } from "../../ui/stat.tsx";
import type { Series } from "./series-view.ts";

/** The sums of the range, each with what it is made of. */
export function FigureStats({ total, isStale }: { readonly total: Series["total"]; readonly isStale: boolean }) {
  const asked = total.requests + total.errors;
  return (
    <div aria-busy={isStale || undefined}>
      <StatRow>
        <Stat label="Cost" value={<Figure>{formatMoney(total.cost)}</Figure>} hint="credits" />
        <Stat label="Requests" value={<Figure>{formatNumber(total.requests)}</Figure>} hint="answered" />
        <Stat
          label="Tokens"
          value={<Figure>{formatNumber(total.input_tokens + total.output_tokens)}</Figure>}
          hint={`${formatNumber(total.input_tokens)} in, ${formatNumber(total.output_tokens)} out`}
        />
        <Stat
          label="Errors"
          value={<Figure>{formatNumber(total.errors)}</Figure>}
          hint={asked === 0 ? "none asked" : `${formatPercent(total.errors / asked)} of all`}
        />
      </StatRow>
    </div>
  );
}

/** Long figures stay inside their card on a phone. */
function Figure({ children }: { readonly children: string }) {
  return <span className="wrap-anywhere max-sm:text-lg">{children}</span>;
}
