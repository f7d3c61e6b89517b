import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { FigureStats } from "./figure-stats.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { GroupTable } from "./group-table.tsx";
import { NoUsage } from "./no-usage.tsx";
import { RangeControls } from "./range-controls.tsx";
import { SeriesPanel } from "./series-panel.tsx";
import { breakdownQuery, latencyQuery, seriesQuery, zoneQuery } from "./usage-queries.ts";
import { isZone, rangeOf } from "./usage-range.ts";
import type { UsageSearch } from "./usage-search.ts";

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
