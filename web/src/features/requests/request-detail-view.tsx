import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePermission } from "../../api/session.ts";
import { AnswerFeedback } from "../../shared/answer-feedback.tsx";
import { RequestAnalysis } from "../../shared/request-analysis.tsx";
import { exploredWords } from "../../shared/route-words.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { formatMs, formatNumber } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { Time } from "../../ui/time.tsx";
import { CandidateTable } from "./candidate-table.tsx";
import { ChargeView } from "./charge-view.tsx";
import { curlOf, type RequestDetail, takesFeedback, whyChosen } from "./request-words.ts";
import { SafetyView } from "./safety-view.tsx";
import { StageTimeline } from "./stage-timeline.tsx";
import { StatusBadge } from "./status-badge.tsx";

/** The story of a request, from its arrival to its charge. */
export function RequestDetailView({ detail }: { readonly detail: RequestDetail }) {
  const curl = curlOf(detail, location.origin);
  const mayGive = usePermission("feedback.give") && takesFeedback(detail, Date.now());
  return (
    <div className="grid gap-8">
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge status={detail.status} errorType={detail.error_type} />
          {detail.streamed && <Badge>streamed</Badge>}
          {detail.idempotent && <Badge>idempotent</Badge>}
          {detail.cache?.result === "hit" && (
            <Badge>{detail.cache.match === "similar" ? "from the cache, a similar question" : "from the cache"}</Badge>
          )}
          {detail.client_hung_up && <Badge tone="warning">client hung up</Badge>}
        </div>
        {detail.error !== null && <Banner tone="warning" title={detail.error} />}
        <div className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
          <Figure label="Took" value={formatMs(detail.latency_ms)} />
          <Figure label="Charged" value={<Money credits={detail.cost} />} />
          <Figure label="Input tokens" value={formatNumber(detail.input_tokens)} />
          <Figure label="Output tokens" value={formatNumber(detail.output_tokens)} />
        </div>
        <KeyValue
          items={[
            { label: "Arrived", value: <Time at={detail.created_at} form="exact" /> },
            { label: "Model", value: detail.model ?? "none was called" },
            { label: "Task", value: detail.task },
            { label: "Operation", value: <code className="text-sm">{detail.path}</code> },
            {
              label: "Key",
              value: (
                <Link to="/requests" search={{ key: detail.key_id }} className={TEXT_LINK}>
                  {detail.key_name ?? detail.key_id}
                </Link>
              ),
            },
            ...Object.entries(detail.tags).map(([name, text]) => ({
              label: `Tag ${name}`,
              value: <code className="text-sm break-all">{text}</code>,
            })),
          ]}
        />
        <AnswerFeedback key={detail.id} requestId={detail.id} given={detail.feedback} mayGive={mayGive} />
      </div>
      <Section title="Its way through the line">
        <StageTimeline detail={detail} />
      </Section>
      <Section title="Why this model" description={whyChosen(detail)}>
        {detail.routing !== null && (
          <>
            <ChoiceView routing={detail.routing} />
            <CandidateTable routing={detail.routing} />
          </>
        )}
      </Section>
      {detail.legs !== undefined && (
        <Section
          title="Who spoke"
          description="Several models worked on this answer, one after the other. Each is charged by its own price."
        >
          <LegList legs={detail.legs} />
        </Section>
      )}
      <Section title="Tokens and charge">
        <ChargeView detail={detail} />
      </Section>
      <Section title="Safety">
        <SafetyView safety={detail.safety} />
      </Section>
      {detail.content !== undefined && (
        <Section title="Content" description="Kept because the organisation stores prompts and outputs.">
          <CodeBlock
            label="Input and output"
            wrap
            samples={[
              { label: "Input", language: "text", code: detail.content.input },
              { label: "Output", language: "text", code: detail.content.output },
              ...(curl === undefined ? [] : [{ label: "As curl", language: "bash" as const, code: curl }]),
            ]}
          />
        </Section>
      )}
    </div>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="text-sm text-muted">{label}</p>
      <p className="text-lg font-semibold wrap-anywhere">{value}</p>
    </div>
  );
}

/** What the choice went by: what the request was taken for, what was compared, and what session and chance had to say. */
function ChoiceView({ routing }: { readonly routing: NonNullable<RequestDetail["routing"]> }) {
  const { reading, explored, sticky_to: stickyTo, quality_floor: floor, strategy } = routing;
  const first = routing.candidates.find(({ place }) => place === 1)?.model;
  return (
    <RequestAnalysis
      reading={reading}
      contest={routing}
      more={[
        {
          label: "Quality floor",
          value: floor === undefined || strategy !== "cost-optimized" ? undefined : floor,
        },
        { label: "Tried out", value: explored && exploredWords(explored, first) },
        {
          label: "Session",
          value: stickyTo === undefined ? undefined : `It stays with ${stickyTo} while that one serves it.`,
        },
      ]}
    />
  );
}

type Leg = NonNullable<RequestDetail["legs"]>[number];

const OUTCOMES: Readonly<Record<Leg["outcome"], { readonly word: string; readonly tone: Tone }>> = {
  answered: { word: "finished the answer", tone: "positive" },
  "cut-off": { word: "broke off", tone: "warning" },
  "failed-check": { word: "failed the check", tone: "warning" },
  refused: { word: "taken away by moderation", tone: "danger" },
};

/** The models that made an answer one after the other, with what each did and cost. */
function LegList({ legs }: { readonly legs: readonly Leg[] }) {
  return (
    <ol className="grid divide-y divide-line rounded-lg border border-line">
      {legs.map((leg, index) => {
        const outcome = OUTCOMES[leg.outcome];
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: one model may speak twice, and the order is fixed.
            key={index}
            className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 px-3 py-2"
          >
            <span className="text-muted">{index + 1}</span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="font-medium wrap-anywhere">{leg.model}</span>
              <Badge tone={outcome.tone}>{outcome.word}</Badge>
            </span>
            <Money credits={leg.cost} />
            <span className="col-start-2 text-sm text-muted">
              {formatNumber(leg.input_tokens)} tokens in, {formatNumber(leg.output_tokens)} out
              {leg.usage_source === "own" && ", by our own count"}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
