import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChartColumn, X } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatMoney, formatNumber, formatPercent } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { GroupTable } from "./group-table.tsx";
import { RangeControls } from "./range-controls.tsx";
import { SeriesPanel } from "./series-panel.tsx";
import type { Series } from "./series-view.ts";
import { breakdownQuery, latencyQuery, seriesQuery, zoneQuery } from "./usage-queries.ts";
import { isZone, rangeOf } from "./usage-range.ts";
import { FILTERS, type UsageSearch } from "./usage-search.ts";

/** What was used, over time: a chart and a table of the very same figures. */
export function UsagePage() {
  const search: UsageSearch = useSearch({ from: "/shell/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const ownZone = useQuery(zoneQuery);
  const change = (part: Partial<Record<keyof UsageSearch, string | undefined>>) =>
    void navigate({ search: (now) => ({ ...now, ...part }) as UsageSearch, replace: true });

  return (
    <Page title="Usage" description="What was asked, by whom and of which models, and what it cost.">
      {ownZone.data === undefined ? (
        ownZone.isError ? (
          <ErrorState error={ownZone.error} onRetry={() => ownZone.refetch()} />
        ) : (
          <Waiting />
        )
      ) : (
        <Usage search={search} ownZone={ownZone.data} onChange={change} />
      )}
    </Page>
  );
}

interface UsageProps {
  readonly search: UsageSearch;
  readonly ownZone: string;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}

function Usage({ search, ownZone, onChange }: UsageProps) {
  const zone = search.zone !== undefined && isZone(search.zone) ? search.zone : ownZone;
  const { metric = "cost", by = "none", interval = "auto", model, provider, key, task } = search;
  const { includesNow, ...range } = rangeOf(search, Date.now(), zone);
  const asked = { ...range, timezone: zone, model, provider, key, task };
  const shape = { ...asked, interval, group_by: by };
  const isLatency = metric === "latency";
  const series = useQuery(seriesQuery({ ...shape, ...(isLatency ? {} : { top_by: metric }) }, includesNow));
  const latency = useQuery({ ...latencyQuery(shape, includesNow), enabled: isLatency });
  const groups = useQuery({
    ...breakdownQuery({ ...asked, ...(by === "none" ? {} : { group_by: by }) }, includesNow),
    enabled: by !== "none",
  });
  const [active, setActive] = useState<number>();
  const shown = isLatency ? latency : series;
  const failed = series.error ?? (isLatency ? latency.error : null);
  const isFiltered = [model, provider, key, task].some((value) => value !== undefined);

  return (
    <>
      <RangeControls search={search} zone={zone} ownZone={ownZone} isLive={includesNow} onChange={onChange} />
      {isFiltered && <FilterChips search={search} onChange={onChange} />}
      {failed !== null && shown.data === undefined ? (
        <ErrorState error={failed} onRetry={() => Promise.all([series.refetch(), latency.refetch()])} />
      ) : series.data === undefined ? (
        <Waiting />
      ) : (
        <>
          <FigureStats total={series.data.total} isStale={series.isPlaceholderData} />
          {series.data.total.requests === 0 && series.data.total.errors === 0 ? (
            <NoUsage isFiltered={isFiltered} onClear={() => onChange(NO_FILTERS)} onChange={onChange} />
          ) : (
            <SeriesPanel
              metric={metric}
              by={by}
              series={series.data}
              latency={isLatency ? latency.data : undefined}
              isBusy={shown.isPlaceholderData || (isLatency && latency.data === undefined)}
              asked={shape}
              active={active}
              onActiveChange={setActive}
              onChange={onChange}
            />
          )}
          {by !== "none" && groups.data !== undefined && groups.data.data.length > 0 && (
            <GroupTable by={by} rows={groups.data.data} asked={{ ...asked, group_by: by }} onChange={onChange} />
          )}
        </>
      )}
    </>
  );
}

const NO_FILTERS = { model: undefined, provider: undefined, key: undefined, task: undefined };

function Waiting() {
  return (
    <div role="status" aria-busy="true" className="grid gap-3">
      <span className="sr-only">Loading</span>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {["cost", "requests", "tokens", "errors"].map((name) => (
          <Skeleton key={name} className="h-24" />
        ))}
      </div>
      <Skeleton className="h-80" />
      <Skeleton className="h-64" />
    </div>
  );
}

/** The sums of the range, each with what it is made of. */
function FigureStats({ total, isStale }: { readonly total: Series["total"]; readonly isStale: boolean }) {
  const asked = total.requests + total.errors;
  return (
    <div aria-busy={isStale || undefined}>
      <StatRow>
        <Stat label="Cost" value={<Figure>{formatMoney(total.cost)}</Figure>} />
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

const WORDS = { model: "Model", provider: "Provider", key: "Key", task: "Task" } as const;

/** What the figures are narrowed to, each to be taken away again. */
function FilterChips({
  search,
  onChange,
}: {
  readonly search: UsageSearch;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}) {
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-2">
      {FILTERS.flatMap((name) => {
        const value = search[name];
        if (value === undefined) return [];
        const shown = name === "key" ? `…${value.slice(-8)}` : value;
        return (
          <li key={name} className="min-w-0">
            <button
              type="button"
              onClick={() => onChange({ [name]: undefined })}
              aria-label={`Remove the filter ${WORDS[name]}: ${shown}`}
              className="flex h-8 max-w-full items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 text-sm hover:bg-hover"
            >
              <span className="text-muted">{WORDS[name]}</span>
              <span className="truncate font-medium">{shown}</span>
              <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Nothing in this range: what may be wrong, and where to begin. */
function NoUsage({
  isFiltered,
  onClear,
  onChange,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}) {
  return (
    <EmptyState
      icon={<ChartColumn />}
      title={isFiltered ? "Nothing fits these filters" : "Nothing was used in this range"}
      action={
        isFiltered ? (
          <Button onClick={onClear}>Clear the filters</Button>
        ) : (
          <>
            <Button onClick={() => onChange({ range: "30d", from: undefined, to: undefined })}>
              Show the last 30 days
            </Button>
            <Link to="/playground" className={buttonClass("primary")}>
              Open the playground
            </Link>
          </>
        )
      }
    >
      {isFiltered
        ? "There may be usage outside of them."
        : "Every request shows here within seconds, with its tokens and its cost."}
    </EmptyState>
  );
}
