import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { texts } from "../../texts/texts.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { Time } from "../../ui/time.tsx";
import { keyRequestsQuery, keyUsageQuery } from "./keys-queries.ts";

const TEXTS = texts.keys.history;
const DAY_MS = 86_400_000;
const DAYS = 30;

/** What a key was used for lately. */
export function LastDays({ id }: { readonly id: string }) {
  const days = Array.from({ length: DAYS }, (_, index) =>
    new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const from = days[0] ?? "";
  const sum = useQuery(keyUsageQuery(id, from, "key"));
  const byDay = useQuery(keyUsageQuery(id, from, "day"));
  const [row] = sum.data?.data ?? [];
  const spent = new Map(byDay.data?.data.map(({ day, cost }) => [day, cost]));

  return (
    <Part title={TEXTS.title}>
      {sum.data === undefined ? (
        sum.error === null ? (
          <SkeletonRows rows={3} label={TEXTS.loading} />
        ) : (
          <ErrorState error={sum.error} onRetry={sum.refetch} />
        )
      ) : row === undefined ? (
        <p className="text-muted">{TEXTS.unused}</p>
      ) : (
        <>
          <Sparkline values={days.map((day) => spent.get(day) ?? 0)} label={TEXTS.chart} className="h-12" />
          <KeyValue
            items={[
              { label: TEXTS.spent, value: <Money credits={row.cost} /> },
              { label: TEXTS.requests, value: formatNumber(row.requests) },
              { label: TEXTS.errors, value: formatNumber(row.errors) },
              { label: TEXTS.inputTokens, value: formatNumber(row.input_tokens) },
              { label: TEXTS.outputTokens, value: formatNumber(row.output_tokens) },
            ]}
          />
        </>
      )}
    </Part>
  );
}

/** A key's newest requests, with the way to all of them. */
export function LastRequests({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(keyRequestsQuery(id));
  if (data?.data.length === 0) return null;
  return (
    <Part
      title={TEXTS.recent}
      aside={
        <Link to="/requests" search={{ key: id }} className={TEXT_LINK}>
          {TEXTS.viewAll}
        </Link>
      }
    >
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} label={TEXTS.loadingRequests} />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <ul className="grid divide-y divide-line">
          {data.data.map((request) => (
            <li key={request.id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2">
              <Link to="/requests/$id" params={{ id: request.id }} className={`${TEXT_LINK} min-w-0 wrap-anywhere`}>
                {request.model ?? TEXTS.noModel}
              </Link>
              <span className="flex gap-4 text-sm text-muted">
                <span>{request.status < 400 ? TEXTS.ok : request.status}</span>
                <Money credits={request.cost} />
                <Time at={request.created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

interface PartProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

function Part({ title, aside, children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid min-w-0 gap-2">
      <div className="flex items-baseline justify-between gap-4">
        <h3 id={id} className="font-semibold">
          {title}
        </h3>
        {aside}
      </div>
      {children}
    </section>
  );
}
