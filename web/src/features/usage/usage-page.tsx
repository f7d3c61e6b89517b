import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChartColumn, X } from "lucide-react";
import { Children, type ReactNode, useState } from "react";
import { settingsQuery } from "../../api/settings.ts";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatMoney, formatNumber, formatPercent } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { changeWords } from "./change-words.ts";
import { GroupTable } from "./group-table.tsx";
import { RangeControls } from "./range-controls.tsx";
import { SeriesPanel } from "./series-panel.tsx";
import type { Series } from "./series-view.ts";
import { breakdownQuery, latencyQuery, seriesQuery } from "./usage-queries.ts";
import { forecastOf, forecastStart, isZone, rangeBefore, rangeOf } from "./usage-range.ts";
import { FILTERS, type UsageSearch } from "./usage-search.ts";

const TEXTS = texts.usage;

/** What was used, over time: a chart and a table of the very same figures. */
export function UsagePage() {
  const search: UsageSearch = useSearch({ from: "/shell/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const ownZone = useQuery(settingsQuery);
  const change = (part: Partial<Record<keyof UsageSearch, string | undefined>>) =>
    void navigate({ search: (now) => ({ ...now, ...part }) as UsageSearch, replace: true });

  return (
    <Page title={TEXTS.title} description={TEXTS.description}>
      {ownZone.data === undefined ? (
        ownZone.isError ? (
          <ErrorState error={ownZone.error} onRetry={() => ownZone.refetch()} />
        ) : (
          <Waiting />
        )
      ) : (
        <Usage search={search} ownZone={ownZone.data.time_zone} onChange={change} />
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
  const { metric = "cost", interval = "auto", model, provider, key, task, tag } = search;
  // Groups by tag are those of one tag's texts.
  const by = search.by === "tag" && tag === undefined ? "none" : (search.by ?? "none");
  const { includesNow, ...range } = rangeOf(search, Date.now(), zone);
  const asked = { ...range, timezone: zone, model, provider, key, task, tag };
  const shape = { ...asked, interval, group_by: by };
  const isLatency = metric === "latency";
  const series = useQuery(seriesQuery({ ...shape, ...(isLatency ? {} : { top_by: metric }) }, includesNow));
  const latency = useQuery({ ...latencyQuery(shape, includesNow), enabled: isLatency });
  const groups = useQuery({
    ...breakdownQuery({ ...asked, ...(by === "none" ? {} : { group_by: by }) }, includesNow),
    enabled: by !== "none",
  });
  const { includesNow: _, ...earlier } = rangeBefore(search, minuteOf(Date.now()), zone) ?? { includesNow: false };
  const before = useQuery({
    ...seriesQuery({ ...asked, from: undefined, to: undefined, ...earlier, interval: "auto" }, false),
    enabled: earlier.from !== undefined,
  });
  const isThisMonth = search.range === "month";
  const days = useQuery({
    ...seriesQuery({ ...asked, from: forecastStart(Date.now(), zone), to: undefined, interval: "day" }, includesNow),
    enabled: isThisMonth,
  });
  const [active, setActive] = useState<number>();
  const shown = isLatency ? latency : series;
  const failed = series.error ?? (isLatency ? latency.error : null);
  const isFiltered = [model, provider, key, task, tag].some((value) => value !== undefined);

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
          <FigureStats
            total={series.data.total}
            before={before.data?.total}
            forecast={isThisMonth && days.data !== undefined ? forecastOf(days.data.data, Date.now(), zone) : undefined}
            isStale={series.isPlaceholderData}
          />
          {series.data.total.requests === 0 && series.data.total.errors === 0 ? (
            <NoUsage isFiltered={isFiltered} onClear={() => onChange(NO_FILTERS)} onChange={onChange} />
          ) : (
            <SeriesPanel
              metric={metric}
              by={by}
              series={series.data}
              latency={isLatency ? latency.data : undefined}
              isBusy={shown.isPlaceholderData || (isLatency && latency.data === undefined)}
              isLog={search.scale !== "linear"}
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

/** A query for each minute, not for each drawing of the page. */
function minuteOf(now: number): number {
  return now - (now % 60_000);
}

const NO_FILTERS = { model: undefined, provider: undefined, key: undefined, task: undefined, tag: undefined };

const STATS = ["cost", "requests", "tokens", "errors"] as const;

function Waiting() {
  return (
    <div role="status" aria-busy="true" className="grid gap-3">
      <span className="sr-only">{TEXTS.loading}</span>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {STATS.map((name) => (
          <Skeleton key={name} className="h-24" />
        ))}
      </div>
      <Skeleton className="h-80" />
      <Skeleton className="h-64" />
    </div>
  );
}

interface FigureStatsProps {
  readonly total: Series["total"];
  /** Of the period before; undefined while it loads. */
  readonly before: Series["total"] | undefined;
  readonly forecast: number | undefined;
  readonly isStale: boolean;
}

/** The sums of the range, each compared with the period before. */
function FigureStats({ total, before, forecast, isStale }: FigureStatsProps) {
  const asked = total.requests + total.errors;
  const words = TEXTS.figures;
  return (
    <div aria-busy={isStale || undefined}>
      <StatRow>
        <Stat
          label={words.cost}
          value={<Figure>{formatMoney(total.cost)}</Figure>}
          hint={
            <Hints>
              {compare(total.cost, before?.cost, formatMoney)}
              {forecast !== undefined && words.forecast(formatMoney(forecast))}
            </Hints>
          }
        />
        <Stat
          label={words.requests}
          value={<Figure>{formatNumber(total.requests)}</Figure>}
          hint={<Hints>{compare(total.requests, before?.requests, formatNumber)}</Hints>}
        />
        <Stat
          label={words.tokens}
          value={<Figure>{formatNumber(total.input_tokens + total.output_tokens)}</Figure>}
          hint={
            <Hints>
              {compare(
                total.input_tokens + total.output_tokens,
                before && before.input_tokens + before.output_tokens,
                formatNumber,
              )}
              {words.tokensInOut(formatNumber(total.input_tokens), formatNumber(total.output_tokens))}
            </Hints>
          }
        />
        <Stat
          label={words.errors}
          value={<Figure>{formatNumber(total.errors)}</Figure>}
          hint={
            <Hints>
              {compare(total.errors, before?.errors, formatNumber)}
              {asked === 0 ? words.noRequests : words.errorRate(formatPercent(total.errors / asked))}
            </Hints>
          }
        />
      </StatRow>
    </div>
  );
}

/** The comparison; a blank line while it loads, so that nothing moves. */
function compare(now: number, before: number | undefined, write: (value: number) => string): string {
  return before === undefined ? "\u00a0" : changeWords(now, before, write);
}

/** Lines below a figure. */
function Hints({ children }: { readonly children: ReactNode }) {
  return (
    <span className="grid">
      {Children.toArray(children).map((child, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines keep their order.
        <span key={index}>{child}</span>
      ))}
    </span>
  );
}

/** Long figures stay inside their card on a phone. */
function Figure({ children }: { readonly children: string }) {
  return <span className="wrap-anywhere max-sm:text-lg">{children}</span>;
}

/** What the figures are narrowed to, each to be taken away again. */
function FilterChips({
  search,
  onChange,
}: {
  readonly search: UsageSearch;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}) {
  return (
    <ul aria-label={TEXTS.filters} className="flex flex-wrap gap-2">
      {FILTERS.flatMap((name) => {
        const value = search[name];
        if (value === undefined) return [];
        const shown = name === "key" ? `…${value.slice(-8)}` : value;
        return (
          <li key={name} className="min-w-0">
            <button
              type="button"
              onClick={() => onChange({ [name]: undefined })}
              aria-label={TEXTS.removeFilter(TEXTS.groups.names[name], shown)}
              className="flex h-8 max-w-full items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 text-sm hover:bg-hover"
            >
              <span className="text-muted">{TEXTS.groups.names[name]}</span>
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
      title={isFiltered ? TEXTS.empty.filtered : TEXTS.empty.title}
      action={
        isFiltered ? (
          <Button onClick={onClear}>{TEXTS.empty.clear}</Button>
        ) : (
          <>
            <Button onClick={() => onChange({ range: "30d", from: undefined, to: undefined })}>
              {TEXTS.empty.longer}
            </Button>
            <Link to="/playground" className={buttonClass("primary")}>
              {TEXTS.empty.playground}
            </Link>
          </>
        )
      }
    >
      {isFiltered ? TEXTS.empty.filteredText : TEXTS.empty.text}
    </EmptyState>
  );
}
