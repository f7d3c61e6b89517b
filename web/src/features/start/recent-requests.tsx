import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { Badge } from "../../ui/badge.tsx";
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

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "model",
    header: "Model",
    cell: ({ model, status }) => (
      <span className="grid justify-items-start gap-1">
        <span className="wrap-anywhere">{model ?? "No model"}</span>
        <span className="sm:hidden">
          <StatusBadge status={status} />
        </span>
      </span>
    ),
  },
  { id: "status", header: "Status", wideOnly: true, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: "latency",
    header: "Took",
    align: "right",
    wideOnly: true,
    cell: (row) => formatMs(row.latency_ms),
  },
  { id: "cost", header: "Cost", align: "right", cell: ({ cost }) => <Money credits={cost} /> },
  {
    id: "time",
    header: "When",
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
      title="Recent requests"
      actions={
        <Link to="/requests" className={TEXT_LINK}>
          All requests
        </Link>
      }
    >
      {data !== undefined ? (
        <Table
          label="The newest five"
          columns={COLUMNS}
          rows={data.data}
          rowKey={({ id }) => id}
          onRowClick={({ id }) => void navigate({ to: "/requests/$id", params: { id } })}
        />
      ) : error === null ? (
        <SkeletonRows rows={5} label="Loading the newest requests" />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </Section>
  );
}

/** The client left before it was given anything. */
const LEFT = 499;

function StatusBadge({ status }: { readonly status: number }) {
  if (status < 400)
    return (
      <Badge tone="positive" dot>
        Answered
      </Badge>
    );
  if (status === LEFT) return <Badge dot>Left</Badge>;
  return (
    <Badge tone="danger" dot>
      {`${status < 500 ? "Refused" : "Failed"} ${status}`}
    </Badge>
  );
}
