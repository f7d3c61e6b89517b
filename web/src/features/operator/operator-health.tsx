import { useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatBytes, formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

type Health = AnswerOf<"GET /v1/admin/health">;

const REFRESH_MS = 5_000;

const INSTANCES: readonly Column<Health["instances"][number]>[] = [
  {
    id: "id",
    header: "Instance",
    cell: ({ id, this: isThis }) => (
      <span className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-sm wrap-anywhere">{id}</code>
        {isThis && <Badge>answers you</Badge>}
      </span>
    ),
  },
  { id: "started", header: "Started", align: "right", cell: ({ started_at: at }) => <Time at={at} /> },
];

const TROUBLED: readonly Column<Health["troubled"][number]>[] = [
  { id: "model", header: "Model", cell: ({ model }) => <span className="wrap-anywhere">{model}</span> },
  { id: "state", header: "Circuit", cell: ({ state }) => state },
  {
    id: "errors",
    header: "Errors",
    align: "right",
    cell: ({ error_rate: rate, calls }) => `${formatPercent(rate)} of ${formatNumber(calls)} calls`,
  },
];

/** The tab Health: the instances, the store, the last hour, and what is in trouble. */
export function OperatorHealth() {
  useDocumentTitle("Health of the service");
  const health = useQuery({
    queryKey: ["operator", "health"],
    queryFn: ({ signal }) => api.call("GET /v1/admin/health", { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (health.isPending) return <SkeletonRows label="The service's health is loading" />;
  if (health.isError) return <ErrorState error={health.error} onRetry={health.refetch} />;
  return <HealthReport report={health.data} />;
}

function HealthReport({ report }: { readonly report: Health }) {
  const { last_hour: hour, process, store } = report;
  return (
    <div className="grid gap-8">
      <StatRow>
        <Stat label="Requests, last hour" value={formatNumber(hour.requests)} />
        <Stat
          label="Errors, last hour"
          value={hour.requests + hour.errors === 0 ? "—" : formatPercent(hour.errors / (hour.requests + hour.errors))}
          hint={`${formatNumber(hour.errors)} failed`}
        />
        <Stat label="Charged, last hour" value={<Money credits={hour.cost} />} />
        <Stat label="Running now" value={formatNumber(process.requests_running)} />
      </StatRow>
      {report.troubled.length === 0 ? (
        <Banner tone="positive" title="Every endpoint is well">
          No model that was called lately fails more than now and then.
        </Banner>
      ) : (
        <Section title="In trouble" description="Endpoints that this instance can't reach, or that fail often.">
          <Table label="Endpoints in trouble" columns={TROUBLED} rows={report.troubled} rowKey={({ model }) => model} />
        </Section>
      )}
      <Section title="Instances" description="All that share this store.">
        <Table label="Running instances" columns={INSTANCES} rows={report.instances} rowKey={({ id }) => id} />
      </Section>
      <div className="grid gap-8 lg:grid-cols-2">
        <Section title="Store">
          <KeyValue
            items={[
              { label: "PostgreSQL", value: `${store.version}${store.embedded ? ", embedded" : ""}` },
              { label: "Answers in", value: formatMs(store.answer_ms) },
              { label: "Size", value: formatBytes(store.bytes) },
              { label: "Connections", value: store.connections },
              {
                label: "Ledger sealed",
                value: report.ledger_sealed_at === null ? "Not yet" : <Time at={report.ledger_sealed_at} />,
              },
              { label: "Webhook events waiting", value: formatNumber(report.deliveries_waiting) },
            ]}
          />
        </Section>
        <Section title="This process">
          <KeyValue
            items={[
              { label: "Up for", value: spanOf(process.uptime_seconds) },
              { label: "Node.js", value: process.node },
              { label: "Memory", value: formatBytes(process.memory_bytes) },
              { label: "Event loop, p99", value: formatMs(process.event_loop_p99_ms) },
              { label: "Accounts", value: formatNumber(report.accounts) },
              {
                label: "Models",
                value: Object.entries(report.models)
                  .filter(([, count]) => count > 0)
                  .map(([state, count]) => `${count} ${state}`)
                  .join(", "),
              },
            ]}
          />
        </Section>
      </div>
    </div>
  );
}

function spanOf(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}
