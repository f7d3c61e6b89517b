import { useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatBytes, formatMs, formatNumber, formatPercent, formatUnit } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const TEXTS = texts.operator.health;

type Health = AnswerOf<"GET /v1/admin/health">;

const REFRESH_MS = 5_000;

const INSTANCES: readonly Column<Health["instances"][number]>[] = [
  {
    id: "id",
    header: TEXTS.instance,
    cell: ({ id, this: isThis }) => (
      <span className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-sm wrap-anywhere">{id}</code>
        {isThis && <Badge>{TEXTS.answersYou}</Badge>}
      </span>
    ),
  },
  { id: "started", header: TEXTS.started, align: "right", cell: ({ started_at: at }) => <Time at={at} /> },
];

const TROUBLED: readonly Column<Health["troubled"][number]>[] = [
  { id: "model", header: TEXTS.model, cell: ({ model }) => <span className="wrap-anywhere">{model}</span> },
  { id: "state", header: TEXTS.circuit, cell: ({ state }) => state },
  {
    id: "errors",
    header: TEXTS.errors,
    align: "right",
    cell: ({ error_rate: rate, calls }) => TEXTS.ofCalls(formatPercent(rate), formatNumber(calls)),
  },
];

/** The tab Health: the instances, the store, the last hour, and what is in trouble. */
export function OperatorHealth() {
  useDocumentTitle(TEXTS.healthOfTheService);
  const health = useQuery({
    queryKey: ["operator", "health"],
    queryFn: ({ signal }) => api.call("GET /v1/admin/health", { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (health.isPending) return <SkeletonRows label={TEXTS.theServicesHealthIs} />;
  if (health.isError) return <ErrorState error={health.error} onRetry={health.refetch} />;
  return <HealthReport report={health.data} />;
}

function HealthReport({ report }: { readonly report: Health }) {
  const { last_hour: hour, process, store } = report;
  return (
    <div className="grid gap-8">
      <StatRow>
        <Stat label={TEXTS.requestsLastHour} value={formatNumber(hour.requests + hour.errors)} />
        <Stat
          label={TEXTS.errorsLastHour}
          value={hour.requests + hour.errors === 0 ? "—" : formatPercent(hour.errors / (hour.requests + hour.errors))}
          hint={TEXTS.failed(formatNumber(hour.errors))}
        />
        <Stat label={TEXTS.chargedLastHour} value={<Money credits={hour.cost} />} />
        <Stat label={TEXTS.runningNow} value={formatNumber(process.requests_running)} />
      </StatRow>
      {report.troubled.length === 0 ? (
        <Banner tone="positive" title={TEXTS.everyEndpointIsWell}>
          {TEXTS.noModelThatWas}
        </Banner>
      ) : (
        <Section title={TEXTS.inTrouble} description={TEXTS.endpointsThatThisInstance}>
          <Table
            label={TEXTS.endpointsInTrouble}
            columns={TROUBLED}
            rows={report.troubled}
            rowKey={({ model }) => model}
          />
        </Section>
      )}
      {report.unlisted_providers.length > 0 && (
        <Banner tone="warning" title={TEXTS.unlisted}>
          <p>{TEXTS.unlistedText}</p>
          <ul className="mt-2 list-disc ps-5">
            {report.unlisted_providers.map(({ provider, reason }) => (
              <li key={provider}>
                {provider}: {TEXTS.unlistedReasons[reason]}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <Section title={TEXTS.instances} description={TEXTS.allThatShareThis}>
        <Table label={TEXTS.runningInstances} columns={INSTANCES} rows={report.instances} rowKey={({ id }) => id} />
      </Section>
      <div className="grid gap-8 lg:grid-cols-2">
        <Section title={TEXTS.store}>
          <KeyValue
            items={[
              { label: TEXTS.postgresql, value: store.embedded ? TEXTS.embedded(store.version) : store.version },
              { label: TEXTS.answersIn, value: formatMs(store.answer_ms) },
              { label: TEXTS.size, value: formatBytes(store.bytes) },
              { label: TEXTS.connections, value: store.connections },
              {
                label: TEXTS.ledgerSealed,
                value: report.ledger_sealed_at === null ? TEXTS.notYet : <Time at={report.ledger_sealed_at} />,
              },
              { label: TEXTS.webhookEventsWaiting, value: formatNumber(report.deliveries_waiting) },
            ]}
          />
        </Section>
        <Section title={TEXTS.thisProcess}>
          <KeyValue
            items={[
              { label: TEXTS.upFor, value: spanOf(process.uptime_seconds) },
              { label: TEXTS.nodeJs, value: process.node },
              { label: TEXTS.memory, value: formatBytes(process.memory_bytes) },
              { label: TEXTS.eventLoopP, value: formatMs(process.event_loop_p99_ms) },
              { label: TEXTS.accounts, value: formatNumber(report.accounts) },
              {
                label: TEXTS.models,
                value: Object.entries(report.models)
                  .filter(([, count]) => count > 0)
                  .map(([state, count]) => TEXTS.modelStates[state as keyof typeof TEXTS.modelStates](count))
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
  return days > 0 ? `${formatUnit(days, "day")} ${formatUnit(hours, "hour")}` : formatMs(seconds * 1_000);
}
