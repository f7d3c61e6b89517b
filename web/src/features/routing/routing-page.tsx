import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { toast } from "../../ui/toast.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { ExamplesTable } from "./examples-table.tsx";
import { FloorSection } from "./floor-section.tsx";
import { LearningSection } from "./learning-section.tsx";
import { PreviewBox } from "./preview-box.tsx";
import { LOOK_BACKS, type LookBack, reportQuery, routingQuery } from "./routing-queries.ts";
import { nameOf, type Strategy } from "./strategies.ts";
import { StrategyCards } from "./strategy-cards.tsx";
import { WeightInputs } from "./weight-inputs.tsx";
import { WeightTriangle } from "./weight-triangle.tsx";
import { areSame, type Shares, sharesOf, weightsOf } from "./weights.ts";
import { WhatIf } from "./what-if.tsx";

const TEXTS = texts.routing.page;

/** How long the weights are unchanged before the comparison is requested again. */
const REST_MS = 250;

/** How a model is chosen when none is named. */
export function RoutingPage() {
  const saved = useQuery(routingQuery);
  return (
    <Page title={TEXTS.title} description={TEXTS.description}>
      {saved.isPending && <SkeletonRows rows={4} label={TEXTS.loading} />}
      {saved.isError && <ErrorState error={saved.error} onRetry={() => saved.refetch()} />}
      {saved.isSuccess && (
        <RoutingForm
          // Another person may have saved meanwhile: show that.
          key={JSON.stringify(saved.data)}
          strategy={saved.data.strategy}
          shares={sharesOf(saved.data.weights)}
        />
      )}
    </Page>
  );
}

interface Choice {
  readonly strategy: Strategy;
  readonly shares: Shares;
}

function RoutingForm(saved: Choice) {
  const mayChange = usePermission("routing.change");
  const [choice, setChoice] = useState<Choice>(saved);
  const { strategy, shares } = choice;
  const setShares = (next: Shares) => setChoice({ strategy, shares: next });
  const rested = useDebounced(shares, REST_MS);
  const [lookBack, setLookBack] = useState<LookBack>("200");
  const report = useQuery(reportQuery(rested, lookBack));
  const hasNewWeights = !areSame(shares, saved.shares);
  const isDirty = strategy !== saved.strategy || hasNewWeights;
  const isHybrid = strategy === "hybrid";
  const examples = report.data?.strategies.find((one) => one.strategy === strategy)?.examples ?? [];

  return (
    <>
      <UnsavedGuard when={isDirty} />
      {!mayChange && <Banner>{TEXTS.readOnly}</Banner>}
      <Section title={TEXTS.strategy} description={TEXTS.strategyDescription}>
        <StrategyCards
          value={strategy}
          saved={saved.strategy}
          onValueChange={(next) => setChoice({ strategy: next, shares })}
        />
      </Section>
      {isHybrid && (
        <Section title={texts.routing.weights.title} description={texts.routing.weights.description}>
          <Card className="grid gap-x-8 gap-y-4 md:grid-cols-2">
            <WeightTriangle shares={shares} onSharesChange={setShares} />
            <div className="grid content-center gap-4">
              <WeightInputs shares={shares} onSharesChange={setShares} />
              <p id="triangle-keys" className="text-sm text-muted">
                {texts.routing.weights.keys}
              </p>
            </div>
          </Card>
        </Section>
      )}
      <Section
        title={texts.routing.whatIf.title}
        description={texts.routing.whatIf.description}
        actions={
          <Select
            label={texts.routing.whatIf.lookBack}
            value={lookBack}
            onValueChange={setLookBack}
            options={LOOK_BACKS.map((value) => ({ value, label: texts.routing.whatIf.lookBacks[value] }))}
            className="w-48"
          />
        }
      >
        {report.isError ? (
          <ErrorState error={report.error} onRetry={() => report.refetch()} />
        ) : (
          <WhatIf
            strategy={strategy}
            report={report.data}
            isStale={report.isPlaceholderData || !areSame(shares, rested)}
          />
        )}
      </Section>
      {examples.length > 0 && (
        <Section title={texts.routing.whatIf.examples.title} description={texts.routing.whatIf.examples.description}>
          <ExamplesTable examples={examples} />
        </Section>
      )}
      <div className="grid min-w-0 gap-6 lg:grid-cols-2">
        <FloorSection mayChange={mayChange} />
        <LearningSection mayChange={mayChange} />
      </div>
      <PreviewBox strategy={strategy} hasUnsavedWeights={isHybrid && hasNewWeights} />
      <RequestOptions />
      {isDirty && <SaveBar choice={choice} saved={saved} mayChange={mayChange} onDiscard={() => setChoice(saved)} />}
    </>
  );
}

/** What a request can ask for besides a strategy. */
function RequestOptions() {
  const words = TEXTS.requestOptions;
  return (
    <Section title={words.title}>
      <Card>
        <KeyValue
          items={[
            { label: words.cascade, value: words.cascadeText },
            { label: words.sessions, value: words.sessionsText },
            { label: words.failover, value: words.failoverText },
          ]}
        />
        <a href="/guide/routing.html" className={cx(TEXT_LINK, "mt-3 inline-block")}>
          {words.docs}
        </a>
      </Card>
    </Section>
  );
}

interface SaveBarProps {
  readonly choice: Choice;
  readonly saved: Choice;
  readonly mayChange: boolean;
  readonly onDiscard: () => void;
}

function SaveBar({ choice, saved, mayChange, onDiscard }: SaveBarProps) {
  const queries = useQueryClient();
  const { strategy, shares } = choice;
  const save = useMutation({
    mutationFn: async () => {
      if (!areSame(shares, saved.shares)) await api.call("PUT /v1/routing/weights", { body: weightsOf(shares) });
      if (strategy !== saved.strategy) await api.call("PUT /v1/routing", { body: { strategy } });
    },
    onSuccess: () =>
      toast({
        tone: "positive",
        title: TEXTS.saved,
        description: TEXTS.strategies[strategy].saved,
      }),
    onError: (error) => toast({ tone: "danger", title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: routingQuery.queryKey }),
  });
  return (
    <div
      role="region"
      aria-label={TEXTS.unsaved}
      className="sticky bottom-3 z-20 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-overlay"
    >
      <p role="status">
        <Sentence
          text={strategy === "hybrid" ? TEXTS.unsavedWeights : TEXTS.unsavedStrategy}
          parts={{
            strategy: <strong className="font-semibold">{nameOf(strategy)}</strong>,
            cost: formatPercent(shares.cost / 100),
            speed: formatPercent(shares.speed / 100),
            quality: formatPercent(shares.quality / 100),
          }}
        />
      </p>
      <div className="flex gap-2">
        <Button onClick={onDiscard}>{TEXTS.discard}</Button>
        <Button variant="primary" loading={save.isPending} disabled={!mayChange} onClick={() => save.mutate()}>
          {TEXTS.save}
        </Button>
      </div>
    </div>
  );
}
