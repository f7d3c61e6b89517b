import { useMemo } from "react";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../../ui/chart.tsx";
import { formatMs, formatNumber } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import type { WholeOffer } from "./model-offer.tsx";

const TEXTS = texts.models.charts;

/** More lines than this can't be distinguished. */
const MOST_LINES = 6;

/** How a model did in the last 24 hours, by quarters of an hour. */
export function ModelCharts({ offers }: { readonly offers: readonly WholeOffer[] }) {
  const times = useMemo(() => (offers[0]?.availability ?? []).map(({ at }) => at), [offers]);
  const latency = useMemo(
    () =>
      offers.slice(0, MOST_LINES).map((offer) => ({
        label: offer.full_name,
        values: offer.availability.map(({ latency_ms }) => latency_ms),
      })),
    [offers],
  );
  const calls = useMemo(() => {
    const sums = times.map((_, index) =>
      offers.reduce(
        (sum, { availability }) => {
          const { calls: made = 0, failures = 0 } = availability[index] ?? {};
          return { answered: sum.answered + made - failures, failed: sum.failed + failures };
        },
        { answered: 0, failed: 0 },
      ),
    );
    return [
      { label: TEXTS.successful, values: sums.map(({ answered }) => answered), colour: 1 as const },
      { label: TEXTS.failed, values: sums.map(({ failed }) => failed), colour: 5 as const },
    ];
  }, [offers, times]);
  const isQuiet = calls.every(({ values }) => values.every((value) => value === 0));
  return (
    <Section title={TEXTS.title}>
      {isQuiet ? (
        <Card>
          <p className="text-muted">{TEXTS.quiet}</p>
        </Card>
      ) : (
        <div className="grid min-w-0 gap-4 lg:grid-cols-2">
          <Card>
            <h3 className="mb-3 font-medium">{TEXTS.latency}</h3>
            <Chart label={TEXTS.latencyLabel} times={times} series={latency} formatValue={formatMs} heightPx={200} />
          </Card>
          <Card>
            <h3 className="mb-3 font-medium">{TEXTS.calls}</h3>
            <Chart
              label={TEXTS.callsLabel}
              kind="bar"
              stacked
              times={times}
              series={calls}
              formatValue={formatNumber}
              heightPx={200}
            />
          </Card>
        </div>
      )}
    </Section>
  );
}
