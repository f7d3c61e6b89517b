import { Link } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { LoaderCircle } from "lucide-react";
import { type ReactNode, useState } from "react";
import { usePermission } from "../../api/session.ts";
import { AnswerFeedback } from "../../shared/answer-feedback.tsx";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatMs, formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { BlockView } from "./markdown-view.tsx";
import { MediaView, mediaKindOf } from "./media-view.tsx";
import { RunError } from "./run-error.tsx";
import type { Run } from "./use-run.ts";

interface RunViewProps {
  readonly name: "Left" | "Right" | undefined;
  readonly run: Run | undefined;
}

/** What came back, while it comes and after. */
export function RunView({ name, run }: RunViewProps) {
  const [form, setForm] = useState<"formatted" | "raw">("formatted");
  const mayGive = usePermission("feedback.give");
  const title = name === undefined ? "Answer" : `${name} answer`;
  const hasText = run !== undefined && run.status !== "running" && !run.feed.isEmpty;
  return (
    <section
      aria-label={title}
      aria-busy={run?.status === "running"}
      className="grid min-w-0 content-start gap-3 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <header className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="font-medium">{title}</h2>
        {run !== undefined && <Status run={run} />}
        {hasText && (
          <span className="ml-auto flex items-center gap-2">
            <Segmented
              label={`${title}: form`}
              value={form}
              onValueChange={setForm}
              options={[
                { value: "formatted", label: "Formatted" },
                { value: "raw", label: "Raw" },
              ]}
            />
            <CopyButton text={run.feed.whole()} label="Copy the answer" iconOnly />
          </span>
        )}
      </header>
      {run === undefined ? (
        <p className="py-6 text-center text-muted">The answer appears here.</p>
      ) : (
        <>
          <Answer run={run} isRaw={form === "raw"} />
          {run.status === "failed" && <RunError error={run.error} />}
          <Facts run={run} />
          {run.status === "done" && run.requestId !== undefined && run.model !== undefined && (
            <AnswerFeedback key={run.requestId} requestId={run.requestId} given={undefined} mayGive={mayGive} />
          )}
        </>
      )}
    </section>
  );
}

const STATUS_WORDS: Readonly<Record<Run["status"], string>> = {
  running: "Answering",
  done: "Complete",
  stopped: "Stopped",
  failed: "Failed",
};

function Status({ run }: { readonly run: Run }) {
  const tone = run.status === "done" ? "positive" : run.status === "failed" ? "danger" : "neutral";
  return (
    <span role="status">
      <Badge tone={tone}>
        {run.status === "running" && (
          <LoaderCircle aria-hidden="true" className="mr-1 inline size-3 animate-spin align-[-0.1em]" />
        )}
        {STATUS_WORDS[run.status]}
      </Badge>
    </span>
  );
}

function Answer({ run, isRaw }: { readonly run: Run; readonly isRaw: boolean }) {
  const { input } = run.request.body;
  if (run.mediaUrl !== undefined) {
    const kind = run.request.path === "/v1/audio" ? "audio" : "image";
    return <MediaView url={run.mediaUrl} kind={kind} input={input} model={run.model} />;
  }
  const { closed, open } = run.feed.read();
  // A multimodal model may answer with a picture, which comes as its address.
  const inside = mediaKindOf((closed[0] ?? open)?.text.slice(0, 32) ?? "");
  if (inside !== undefined) {
    if (run.status === "running") return <p className="text-muted">Receiving.</p>;
    return <MediaView url={run.feed.whole().trim()} kind={inside} input={input} model={run.model} />;
  }
  if (isRaw) {
    return (
      <pre tabIndex={0} className="max-h-160 overflow-auto text-sm break-words whitespace-pre-wrap">
        {run.feed.whole()}
      </pre>
    );
  }
  if (closed.length === 0 && open === undefined) {
    return run.status === "done" ? <p className="text-muted">The answer was empty. It costs nothing.</p> : null;
  }
  return (
    <div className="grid min-w-0 gap-3">
      {closed.map((block) => (
        <BlockView key={block.id} block={block} />
      ))}
      {open !== undefined && <BlockView key={open.id + closed.length} block={open} />}
    </div>
  );
}

/** What it was and what it took. */
function Facts({ run }: { readonly run: Run }) {
  const requestId = run.requestId ?? (run.error instanceof ApiError ? run.error.requestId : undefined);
  if (run.status === "running" && requestId === undefined) return null;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3 text-sm">
      {run.model !== undefined && (
        <Fact label={run.models === undefined ? "Model" : "Models, one after the other"}>
          <ul className="flex flex-wrap gap-x-3">
            {(run.models ?? [run.model]).map((model) => (
              <li key={model}>
                <Link to="/models/$" params={{ _splat: model }} className={`${TEXT_LINK} wrap-anywhere`}>
                  {model}
                </Link>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {run.cost !== undefined && (
        <Fact label="Cost">
          <Money credits={run.cost} />
        </Fact>
      )}
      {run.inputTokens !== undefined && (
        <Fact label="Tokens">
          {formatNumber(run.inputTokens)} in, {formatNumber(run.outputTokens ?? 0)} out
        </Fact>
      )}
      {run.firstMs !== undefined && <Fact label="First text">{formatMs(run.firstMs)}</Fact>}
      {run.totalMs !== undefined && <Fact label="Total time">{formatMs(run.totalMs)}</Fact>}
      {requestId !== undefined && (
        <Fact label="Request">
          <Link to="/requests/$id" params={{ id: requestId }} className={`${TEXT_LINK} wrap-anywhere`}>
            {requestId}
          </Link>
        </Fact>
      )}
      {run.status === "stopped" && (
        <div className="basis-full text-muted">You stopped it. What had come by then is charged.</div>
      )}
    </dl>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
