import { useQueryClient } from "@tanstack/react-query";
import { FileOutput } from "lucide-react";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { formatPercent } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { HookList, HookRow } from "./hook-list.tsx";
import { type LogSink, logSinksQuery } from "./hook-queries.ts";
import { LogSinkForm } from "./log-sink-form.tsx";
import { Receivers } from "./receivers.tsx";

const TEXTS = texts.hooks.sinks;
const MOST = 3;

/** The tab Log export: where records of the organisation's requests are sent. */
export function LogSinksSettings() {
  return (
    <Receivers
      words={TEXTS}
      icon={<FileOutput />}
      most={MOST}
      query={logSinksQuery}
      form={(sink, onClose) => <LogSinkForm sink={sink} onClose={onClose} />}
    >
      {(sinks, mayChange, edit) => (
        <HookList label={TEXTS.label}>
          {sinks.map((sink) => (
            <SinkRow key={sink.id} sink={sink} mayChange={mayChange} onEdit={() => edit(sink)} />
          ))}
        </HookList>
      )}
    </Receivers>
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
          <span className="inline-block first-letter:uppercase">{sink.last_error}</span>
        </Banner>
      )}
    </HookRow>
  );
}
