import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { Pencil, Server } from "lucide-react";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { BackToProviders } from "./back-link.tsx";
import { CheckSection } from "./check-section.tsx";
import { DangerSection } from "./danger-section.tsx";
import { EditView } from "./edit-view.tsx";
import { HealthSection } from "./health-section.tsx";
import { StateBadge, stateWords } from "./model-state.tsx";
import { outageAdvice } from "./outage-words.ts";
import { PriceHistory } from "./price-history.tsx";
import { type OwnModel, ownModelQuery } from "./provider-queries.ts";
import { ReconciliationSection } from "./reconciliation-section.tsx";
import { TrafficSection } from "./traffic-section.tsx";

const TEXTS = texts.providers.providerPage;

/** One of one's own models in full, or the form to change it. */
export function ProviderPage() {
  const { name = "" } = useParams({ strict: false });
  const { edit } = useSearch({ strict: false });
  const mayChange = usePermission("provider.change");
  const model = useQuery(ownModelQuery(name));
  if (model.isSuccess && edit === true && mayChange && !model.data.declared)
    return <EditView key={name} model={model.data} name={name} />;
  if (model.isSuccess) return <ModelView model={model.data} name={name} mayChange={mayChange} />;
  const isUnknown = model.error instanceof ApiError && model.error.status === 404;
  return (
    <Page title={name} above={<BackToProviders />}>
      {model.isPending && <SkeletonRows label={TEXTS.loadingTheModel} />}
      {isUnknown && (
        <EmptyState icon={<Server />} title={TEXTS.youHaveNoModel}>
          {TEXTS.itMayHaveBeen}
        </EmptyState>
      )}
      {model.isError && !isUnknown && <ErrorState error={model.error} onRetry={() => model.refetch()} />}
    </Page>
  );
}

interface ModelViewProps {
  readonly model: OwnModel;
  readonly name: string;
  readonly mayChange: boolean;
}

function ModelView({ model, name, mayChange }: ModelViewProps) {
  const isChangeable = mayChange && !model.declared;
  const { outage } = model.health;
  return (
    <Page
      title={model.name}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          <span className="wrap-anywhere">{model.name}</span>
          <StateBadge state={model.state} />
        </span>
      }
      description={stateWords(model.state)}
      above={<BackToProviders />}
      actions={
        isChangeable && (
          <Link to="/providers/$name" params={{ name }} search={{ edit: true }} className={buttonClass()}>
            <Pencil aria-hidden="true" className="size-4" />
            {TEXTS.edit}
          </Link>
        )
      }
    >
      {model.declared && <Banner>{TEXTS.itIsDeclaredIn}</Banner>}
      {outage !== null && (
        <Banner tone="danger" title={TEXTS.outOfServiceSince(formatDateTime(outage.since), outage.reason)}>
          {TEXTS.withoutThatItIs(outageAdvice(outage), formatDateTime(outage.next_try_at))}
        </Banner>
      )}
      <HealthSection model={model} name={name} />
      <CheckSection model={model} name={name} mayCheck={mayChange} />
      <TrafficSection name={name} />
      <PriceHistory model={model} name={name} mayChange={isChangeable} />
      <ReconciliationSection name={name} mayReport={mayChange} />
      {isChangeable && <DangerSection model={model} name={name} />}
    </Page>
  );
}
