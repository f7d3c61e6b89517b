import { queryOptions, useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { isLoggedOut } from "../../api/session.ts";
import { isRefusal } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type StatusCell, StatusStrip } from "../../ui/status-strip.tsx";
import { Time } from "../../ui/time.tsx";
import { NotPublic, PublicFrame } from "./public-frame.tsx";

const TEXTS = texts.publicPages.status;

type Status = AnswerOf<"GET /v1/public/status">;
type ModelStatus = Status["models"][number];

/** The status for everyone, or else the one for those who are logged in. */
const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: async ({ signal }) => {
    try {
      return await api.call("GET /v1/public/status", { signal });
    } catch (error) {
      if (!isRefusal(error, "not_found")) throw error;
      return api.call("GET /v1/status", { signal });
    }
  },
  refetchInterval: 30_000,
});

/** How the service and its models do. */
export function StatusPage() {
  const { data, error, refetch } = useQuery(statusQuery);
  return (
    <PublicFrame>
      <Page title={TEXTS.title}>
        {isLoggedOut(error) ? (
          <NotPublic />
        ) : error !== null ? (
          <ErrorState error={error} title={TEXTS.unreachable} onRetry={refetch} />
        ) : data === undefined ? (
          <SkeletonRows rows={6} label={TEXTS.loading} />
        ) : (
          <StatusReport status={data} />
        )}
      </Page>
    </PublicFrame>
  );
}

const PARTS = ["api", "store"] as const;
const OVERALL = { operational: "positive", degraded: "warning", down: "danger" } as const;

function StatusReport({ status }: { readonly status: Status }) {
  return (
    <div className="grid gap-8">
      <Banner tone={OVERALL[status.state]} title={TEXTS[status.state]}>
        <Sentence text={TEXTS.updated} parts={{ time: <Time at={status.checked_at} /> }} />
      </Banner>
      <Section title={TEXTS.components}>
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {PARTS.map((part) => (
            <li key={part} className="flex items-center justify-between gap-4 px-4 py-3">
              <span className="font-medium">{TEXTS[part]}</span>
              <StateBadge state={status[part]} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title={TEXTS.models} description={TEXTS.modelsText}>
        {status.models.length === 0 ? (
          <p className="text-muted">{TEXTS.noModels}</p>
        ) : (
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {status.models.map((model) => (
              <li
                key={model.model}
                className="grid items-center gap-x-6 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,2fr)_auto]"
              >
                <span className="font-medium wrap-anywhere">{model.model}</span>
                <StatusStrip label={`${model.model}: ${WORDS[model.state]}`} cells={model.history.map(cellOf)} />
                <StateBadge state={model.state} />
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}

const WORDS: Readonly<Record<ModelStatus["history"][number]["state"], string>> = {
  up: TEXTS.up,
  degraded: TEXTS.impaired,
  down: TEXTS.out,
  "no data": TEXTS.noData,
};
const TONES: Readonly<Record<ModelStatus["state"], Tone>> = { up: "positive", degraded: "warning", down: "danger" };
const CELLS = { up: "good", degraded: "degraded", down: "bad", "no data": "none" } as const;

function StateBadge({ state }: { readonly state: ModelStatus["state"] }) {
  return (
    <span className="justify-self-start sm:min-w-28">
      <Badge tone={TONES[state]} dot>
        {WORDS[state]}
      </Badge>
    </span>
  );
}

function cellOf({ at, state }: ModelStatus["history"][number]): StatusCell {
  return { state: CELLS[state], label: TEXTS.hour(formatDateTime(at), WORDS[state]) };
}
