import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../../ui/chart.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDateTime, formatMoney } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { PRICE_NAMES, pricesSteps, usedPrices, writePrice } from "./price-steps.ts";
import { type OwnModel, type PriceVersion, pricesQuery } from "./provider-queries.ts";

const TEXTS = texts.providerForm.priceHistory;

export interface PriceHistoryProps {
  readonly model: OwnModel;
  readonly name: string;
  readonly mayChange: boolean;
}

/** Every price the model has had, and a form for the next. */
export function PriceHistory({ model, name, mayChange }: PriceHistoryProps) {
  const [isOpen, setIsOpen] = useState(false);
  const prices = useQuery(pricesQuery(name));
  return (
    <Section
      title={TEXTS.prices}
      description={TEXTS.aNewPriceIs}
      actions={mayChange && <Button onClick={() => setIsOpen(true)}>{TEXTS.changePrice}</Button>}
    >
      {prices.isPending && <SkeletonRows rows={2} label={TEXTS.loadingThePrices} />}
      {prices.isError && <ErrorState error={prices.error} onRetry={() => prices.refetch()} />}
      {prices.isSuccess && <PricesShown versions={prices.data.data} current={model.price_version} />}
      {isOpen && <PriceDialog model={model} name={name} onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function PricesShown({ versions, current }: { versions: readonly PriceVersion[]; current: string | null }) {
  const fields = useMemo(() => usedPrices(versions), [versions]);
  const steps = useMemo(() => pricesSteps(versions, fields, Date.now()), [versions, fields]);
  const columns = useMemo<readonly Column<PriceVersion>[]>(
    () => [
      {
        id: "since",
        header: TEXTS.since,
        cell: ({ since, version }) => (
          <span className="grid">
            <Time at={since} form="date-time" />
            {version === current && <span className="text-sm text-muted">{TEXTS.inForce}</span>}
          </span>
        ),
      },
      ...fields.map((field) => ({
        id: field,
        header: PRICE_NAMES[field],
        align: "right" as const,
        cell: ({ pricing }: PriceVersion) => writePrice(pricing?.[field]),
      })),
      { id: "version", header: TEXTS.version, align: "right", wideOnly: true, cell: ({ version }) => version },
    ],
    [fields, current],
  );
  return (
    <div className="grid min-w-0 gap-4">
      {versions.length > 1 && (
        <Card>
          <Chart
            label={TEXTS.pricesOverTimeIn}
            times={steps.times}
            series={steps.series}
            formatValue={formatMoney}
            formatTime={(at) => formatDateTime(at)}
            heightPx={180}
          />
        </Card>
      )}
      <Table
        label={TEXTS.priceVersionsNewestFirst}
        columns={columns}
        rows={versions}
        rowKey={({ version }) => version}
        className="max-h-96"
      />
    </div>
  );
}
