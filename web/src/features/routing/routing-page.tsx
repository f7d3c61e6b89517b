import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Save } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
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

/** How long the weights are unchanged before the comparison is requested again. */
const REST_MS = 250;

/** How a model is chosen when none is named. */
export function RoutingPage() {
  const saved = useQuery(routingQuery);
  return (
    <Page
      title="Routing"
      description="How a model is chosen for requests that name none. A request may still bring a strategy of its own."
    >
      {saved.isPending && <SkeletonRows rows={4} label="Loading the routing" />}
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
      {!mayChange && (
        <Banner>You may look at the routing and try it out. To change it, ask an owner, admin or developer.</Banner>
      )}
      <Section title="Strategy" description="Beside each is what it would have meant for your last requests.">
        <StrategyCards
          value={strategy}
          saved={saved.strategy}
          onValueChange={(next) => setChoice({ strategy: next, shares })}
          disabled={false}
          report={report.isError ? null : report.data}
        />
      </Section>
      <div className="grid min-w-0 gap-6 lg:grid-cols-2">
        <Section
          className="grid-rows-[auto_1fr]"
          title="Weights"
          description={isHybrid ? "What counts for how much." : "They count once Balanced is chosen."}
        >
          <Card className="grid content-start gap-4">
            <WeightTriangle shares={shares} onSharesChange={setShares} disabled={!isHybrid} />
            <p id="triangle-keys" className="text-sm text-muted">
              Drag the point, or use the arrow keys: up for quality, left for cost, right for speed. Shift moves
              further.
            </p>
            <WeightInputs shares={shares} onSharesChange={setShares} disabled={!isHybrid} />
          </Card>
        </Section>
        <Section
          className="grid-rows-[auto_1fr]"
          title="What would have changed"
          description="Against what really happened."
          actions={
            <Select
              label="Look back at"
              value={lookBack}
              onValueChange={setLookBack}
              options={LOOK_BACKS}
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
      </div>
      {examples.length > 0 && (
        <Section
          title="For example"
          description="The newest requests that would have gone to another model, and the difference for each."
        >
          <ExamplesTable examples={examples} />
        </Section>
      )}
      <div className="grid min-w-0 gap-6 lg:grid-cols-2">
        <FloorSection mayChange={mayChange} />
        <LearningSection mayChange={mayChange} />
      </div>
      <PreviewBox strategy={strategy} hasUnsavedWeights={isHybrid && hasNewWeights} />
      {isDirty && <SaveBar choice={choice} saved={saved} mayChange={mayChange} onDiscard={() => setChoice(saved)} />}
    </>
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
        title: "Routing saved",
        description: `New requests are routed by ${nameOf(strategy).toLowerCase()}.`,
      }),
    onError: (error) => toast({ tone: "danger", title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: routingQuery.queryKey }),
  });
  return (
    <div
      role="region"
      aria-label="Unsaved changes"
      className="sticky bottom-3 z-20 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-overlay"
    >
      <p role="status">
        {mayChange ? "Not saved yet: " : "Tried out, not saved: "}
        <strong className="font-semibold">{nameOf(strategy)}</strong>
        {strategy === "hybrid" && `, cost ${shares.cost} %, speed ${shares.speed} %, quality ${shares.quality} %`}
      </p>
      <div className="flex gap-2">
        <Button onClick={onDiscard}>Discard</Button>
        <Button
          variant="primary"
          icon={<Save aria-hidden="true" />}
          loading={save.isPending}
          disabled={!mayChange}
          onClick={() => save.mutate()}
        >
          Save
        </Button>
      </div>
    </div>
  );
}
