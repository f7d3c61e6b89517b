import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { texts } from "../../texts/texts.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { Time } from "../../ui/time.tsx";
import { recentRequestsQuery } from "./overview-query.ts";

type Row = AnswerOf<"GET /v1/requests">["data"][number];

const TEXTS = texts.home.recent;

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "model",
    header: TEXTS.columns.model,
    className: "min-w-44",
    cell: ({ model, status, error_type: errorType }) => (
      <span className="grid justify-items-start gap-1">
        <span className="wrap-anywhere">{model ?? TEXTS.noModel}</span>
        <span className="sm:hidden">
          <StatusBadge status={status} errorType={errorType} />
        </span>
      </span>
    ),
  },
  {
    id: "status",
    header: TEXTS.columns.status,
    wideOnly: true,
    cell: (row) => <StatusBadge status={row.status} errorType={row.error_type} />,
  },
  {
    id: "latency",
    header: TEXTS.columns.latency,
    align: "right",
    wideOnly: true,
    cell: (row) => formatMs(row.latency_ms),
  },
  { id: "cost", header: TEXTS.columns.cost, align: "right", cell: ({ cost }) => <Money credits={cost} /> },
  {
    id: "time",
    header: TEXTS.columns.time,
    align: "right",
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

/** The newest requests, with the way to all of them. */
export function RecentRequests({ lastId }: { readonly lastId: string }) {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(recentRequestsQuery(lastId));
  return (
    <Section
      title={TEXTS.title}
      actions={
        <Link to="/requests" className={TEXT_LINK}>
          {TEXTS.viewAll}
        </Link>
      }
    >
      {data !== undefined ? (
        <Table
          label={TEXTS.table}
          columns={COLUMNS}
          rows={data.data}
          rowKey={({ id }) => id}
          onRowClick={({ id }) => void navigate({ to: "/requests/$id", params: { id } })}
        />
      ) : error === null ? (
        <SkeletonRows rows={5} label={TEXTS.loading} />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </Section>
  );
}
