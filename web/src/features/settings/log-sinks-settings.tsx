import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileOutput, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatPercent } from "../../ui/format.ts";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { HookRow } from "./hook-list.tsx";
import { type LogSink, logSinksQuery } from "./hook-queries.ts";
import { LogSinkForm } from "./log-sink-form.tsx";
import { NeedsRole } from "./needs-role.tsx";

const TEXTS = texts.hooks.sinks;
const MOST = 3;

/** The tab Log export: where records of the organisation's requests are sent. */
export function LogSinksSettings() {
  useDocumentTitle(TEXTS.title);
  return usePermission("webhooks.read") ? <LogSinks /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function LogSinks() {
  const mayChange = usePermission("webhooks.change");
  const { data, error, refetch } = useQuery(logSinksQuery);
  const [edited, setEdited] = useState<LogSink | "new">();
  const sinks = data?.data ?? [];
  const isFull = sinks.length >= MOST;
  const add = mayChange && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden="true" />}
      disabled={isFull || data === undefined}
      onClick={() => setEdited("new")}
    >
      {TEXTS.add}
    </Button>
  );
  return (
    <Section
      title={TEXTS.title}
      description={isFull ? TEXTS.full(MOST) : TEXTS.description}
      actions={sinks.length > 0 && add}
    >
      {data === undefined &&
        (error === null ? (
          <SkeletonRows rows={3} label={TEXTS.loading} />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        ))}
      {data !== undefined && sinks.length === 0 && (
        <EmptyState icon={<FileOutput />} title={TEXTS.empty} action={add}>
          {TEXTS.emptyText}
        </EmptyState>
      )}
      {sinks.length > 0 && (
        <ul aria-label={TEXTS.label} className="divide-y divide-line rounded-lg border border-line bg-surface">
          {sinks.map((sink) => (
            <SinkRow key={sink.id} sink={sink} mayChange={mayChange} onEdit={() => setEdited(sink)} />
          ))}
        </ul>
      )}
      {edited !== undefined && (
        <LogSinkForm sink={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Section>
  );
}

interface SinkRowProps {
  readonly sink: LogSink;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
}

function SinkRow({ sink, mayChange, onEdit }: SinkRowProps) {
  const queries = useQueryClient();
  const { id } = sink;
  const readAgain = () => queries.invalidateQueries({ queryKey: logSinksQuery.queryKey });
  const onError = (error: unknown) => toast({ tone: "danger", title: errorBeside(error, []) ?? texts.api.failed });
  const isFailing = sink.enabled && sink.last_error !== null;
  const facts = [
    TEXTS.kinds[sink.kind],
    sink.include_content ? TEXTS.contentOn : TEXTS.contentOff,
    ...(sink.share < 1 ? [formatPercent(sink.share)] : []),
  ];
  return (
    <HookRow
      url={sink.url}
      description={sink.description}
      facts={facts.join(" · ")}
      state={
        !sink.enabled
          ? { tone: "neutral", label: TEXTS.off }
          : isFailing
            ? { tone: "warning", label: TEXTS.failing }
            : { tone: "positive", label: TEXTS.active }
      }
      enabled={sink.enabled}
      enabledLabel={TEXTS.enabled}
      mayChange={mayChange}
      testLabel={TEXTS.test}
      deleteTitle={TEXTS.deleteTitle}
      deleteText={TEXTS.deleteText}
      onEnable={(enabled) => {
        api.call("PATCH /v1/log-sinks/{id}", { params: { id }, body: { enabled } }).then(readAgain, onError);
      }}
      onTest={async () => {
        try {
          const { delivered, error } = await api.call("POST /v1/log-sinks/{id}/test", { params: { id } });
          toast({
            tone: delivered ? "positive" : "danger",
            title: delivered ? TEXTS.testDelivered : TEXTS.testFailed,
            ...(error === null ? {} : { description: error }),
          });
        } catch (error) {
          onError(error);
        }
      }}
      onEdit={onEdit}
      onDelete={async () => {
        await api.call("DELETE /v1/log-sinks/{id}", { params: { id } });
        await readAgain();
        toast({ title: TEXTS.deleted });
      }}
    >
      {isFailing && sink.last_error_at !== null && (
        <Banner
          tone="warning"
          title={<Sentence text={TEXTS.lastError} parts={{ time: <Time at={sink.last_error_at} /> }} />}
        >
          {sink.last_error}
        </Banner>
      )}
    </HookRow>
  );
}
