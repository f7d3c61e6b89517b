import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePermission } from "../../api/session.ts";
import { useZone } from "../../api/settings.ts";
import { AnswerFeedback } from "../../shared/answer-feedback.tsx";
import { RequestAnalysis } from "../../shared/request-analysis.tsx";
import { exploredWords } from "../../shared/route-words.ts";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { buttonClass } from "../../ui/button.tsx";
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
import { StorageHint } from "./storage-hint.tsx";

const TEXTS = texts.requestDetail;

/** The story of a request, from its arrival to its charge. */
export function RequestDetailView({ detail }: { readonly detail: RequestDetail }) {
  const zone = useZone();
  const curl = curlOf(detail, location.origin);
  const mayGive = usePermission("feedback.give") && takesFeedback(detail, Date.now());
  return (
    <div className="grid gap-8">
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge status={detail.status} errorType={detail.error_type} />
          {detail.streamed && <Badge>{TEXTS.badges.streamed}</Badge>}
          {detail.idempotent && <Badge>{TEXTS.badges.idempotent}</Badge>}
          {detail.cache?.result === "hit" && (
            <Badge>{detail.cache.match === "similar" ? TEXTS.badges.cachedSimilar : TEXTS.badges.cached}</Badge>
          )}
          {detail.client_hung_up && <Badge tone="warning">{TEXTS.badges.hungUp}</Badge>}
        </div>
        {detail.error !== null && <Banner tone="warning" title={detail.error} />}
        <div className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
          <Figure label={TEXTS.figures.latency} value={formatMs(detail.latency_ms)} />
          <Figure label={TEXTS.figures.cost} value={<Money credits={detail.cost} />} />
          <Figure label={TEXTS.figures.inputTokens} value={formatNumber(detail.input_tokens)} />
          <Figure label={TEXTS.figures.outputTokens} value={formatNumber(detail.output_tokens)} />
        </div>
        <KeyValue
          items={[
            { label: TEXTS.facts.time, value: <Time at={detail.created_at} form="exact" zone={zone} /> },
            { label: TEXTS.facts.model, value: detail.model ?? TEXTS.facts.noModel },
            { label: TEXTS.facts.task, value: detail.task },
            { label: TEXTS.facts.endpoint, value: <code className="text-sm">{detail.path}</code> },
            {
              label: TEXTS.facts.key,
              value: (
                <Link to="/requests" search={{ key: detail.key_id }} className={TEXT_LINK}>
                  {detail.key_name ?? detail.key_id}
                </Link>
              ),
            },
            ...Object.entries(detail.tags).map(([name, text]) => ({
              label: TEXTS.facts.tag(name),
              value: <code className="text-sm break-all">{text}</code>,
            })),
          ]}
        />
        <AnswerFeedback key={detail.id} requestId={detail.id} given={detail.feedback} mayGive={mayGive} />
      </div>
      <Section title={TEXTS.timeline.title}>
        <StageTimeline detail={detail} />
      </Section>
      <Section title={TEXTS.choice.title} description={whyChosen(detail)}>
        {detail.routing !== null && (
          <>
            <ChoiceView routing={detail.routing} />
            <CandidateTable routing={detail.routing} />
          </>
        )}
      </Section>
      {detail.legs !== undefined && (
        <Section title={TEXTS.legs.title} description={TEXTS.legs.description}>
          <LegList legs={detail.legs} />
        </Section>
      )}
      <Section title={TEXTS.charge.title}>
        <ChargeView detail={detail} />
      </Section>
      <Section title={TEXTS.safety.title}>
        <SafetyView safety={detail.safety} />
      </Section>
      {detail.content === undefined ? (
        <StorageHint text={texts.requests.storageOffDetail} />
      ) : (
        <Section
          title={TEXTS.content.title}
          description={TEXTS.content.description}
          actions={
            <Link to="/playground" search={{ request: detail.id }} className={buttonClass()}>
              {TEXTS.content.playground}
            </Link>
          }
        >
          <CodeBlock
            label={TEXTS.content.label}
            wrap
            samples={[
              { label: TEXTS.content.input, language: "text", code: detail.content.input },
              { label: TEXTS.content.output, language: "text", code: detail.content.output },
              ...(curl === undefined ? [] : [{ label: TEXTS.content.curl, language: "bash" as const, code: curl }]),
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
          label: TEXTS.choice.minimumQuality,
          value: floor === undefined || strategy !== "cost-optimized" ? undefined : floor,
        },
        { label: TEXTS.choice.explored, value: explored && exploredWords(explored, first) },
        {
          label: TEXTS.choice.session,
          value: stickyTo === undefined ? undefined : TEXTS.choice.staysWith(stickyTo),
        },
      ]}
    />
  );
}

type Leg = NonNullable<RequestDetail["legs"]>[number];

const TONES: Readonly<Record<Leg["outcome"], Tone>> = {
  answered: "positive",
  "cut-off": "warning",
  "failed-check": "warning",
  refused: "danger",
};

/** The models that made an answer one after the other, with what each did and cost. */
function LegList({ legs }: { readonly legs: readonly Leg[] }) {
  return (
    <ol className="grid divide-y divide-line rounded-lg border border-line">
      {legs.map((leg, index) => {
        const tokens = leg.usage_source === "own" ? TEXTS.legs.tokensOwn : TEXTS.legs.tokens;
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: one model may speak twice, and the order is fixed.
            key={index}
            className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 px-3 py-2"
          >
            <span className="text-muted">{index + 1}</span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="font-medium wrap-anywhere">{leg.model}</span>
              <Badge tone={TONES[leg.outcome]}>{TEXTS.legs.outcomes[leg.outcome]}</Badge>
            </span>
            <Money credits={leg.cost} />
            <span className="col-start-2 text-sm text-muted">
              {tokens(formatNumber(leg.input_tokens), formatNumber(leg.output_tokens))}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
