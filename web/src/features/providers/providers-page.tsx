import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download, Plus, Server } from "lucide-react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { toast } from "../../ui/toast.tsx";
import { BackToProviders } from "./back-link.tsx";
import { ImportView } from "./import-view.tsx";
import { NEW_DRAFT, registrationOf } from "./model-draft.ts";
import { CancelLink, ModelForm } from "./model-form.tsx";
import { ModelsTable } from "./models-table.tsx";
import { OfferGuide } from "./offer-guide.tsx";
import { availabilityQuery, ownModelsQuery, refOf, type Traffic, trafficQuery } from "./provider-queries.ts";

const TEXTS = texts.providers.providersPage;

/** One's own models, the form for a new one, or the import of all at an endpoint. */
export function ProvidersPage() {
  const search = useSearch({ strict: false });
  if (search.import === true) return <ImportView />;
  return search.register === true ? <RegisterView /> : <OwnModels />;
}

function OwnModels() {
  const mayChange = usePermission("provider.change");
  const { account } = useSession();
  const navigate = useNavigate();
  const models = useQuery(ownModelsQuery);
  const month = useQuery(trafficQuery("day"));
  const hours = useQuery(trafficQuery("hour"));
  const availability = useQuery(availabilityQuery(account.provider));
  const rows = models.data?.data ?? [];
  return (
    <Page
      title={TEXTS.providers}
      description={TEXTS.theModelsYouOffer}
      actions={mayChange && rows.length > 0 && <RegisterLinks />}
    >
      {models.isPending && <SkeletonRows label={TEXTS.loadingYourModels} />}
      {models.isError && <ErrorState error={models.error} onRetry={() => models.refetch()} />}
      {models.isSuccess && rows.length === 0 && (
        <>
          <EmptyState
            icon={<Server />}
            title={TEXTS.youOfferNoModels}
            action={mayChange ? <RegisterLinks /> : undefined}
          >
            {TEXTS.whoeverRunsAModel}
          </EmptyState>
          <OfferGuide />
        </>
      )}
      {models.isSuccess && rows.length > 0 && (
        <>
          <MonthStats month={month.data} />
          <ModelsTable
            models={rows}
            month={month.data}
            hours={hours.data}
            availability={availability.data}
            onOpen={(model) =>
              void navigate({ to: "/providers/$name", params: { name: refOf(model, account.provider) } })
            }
          />
          <p className="text-sm text-muted">
            <Sentence
              text={TEXTS.theFirstFigureIs}
              parts={{
                link: (
                  <Link to="/earnings" className={TEXT_LINK}>
                    {TEXTS.earnings}
                  </Link>
                ),
              }}
            />
          </p>
        </>
      )}
    </Page>
  );
}

function RegisterLinks() {
  return (
    <span className="flex flex-wrap items-center justify-center gap-2">
      <Link to="/providers" search={{ import: true }} className={buttonClass()}>
        <Download aria-hidden="true" className="size-4" />
        {texts.modelImport.link}
      </Link>
      <Link to="/providers" search={{ register: true }} className={buttonClass("primary")}>
        <Plus aria-hidden="true" className="size-4" />
        {TEXTS.registerAModel}
      </Link>
    </span>
  );
}

function MonthStats({ month }: { readonly month: Traffic | undefined }) {
  const totals = month?.totals;
  const calls = (totals?.requests ?? 0) + (totals?.errors ?? 0);
  return (
    <StatRow>
      <Stat label={TEXTS.clientsPaidDays} value={totals && <Money credits={totals.earnings} />} />
      <Stat label={TEXTS.answeredRequests} value={totals && formatNumber(totals.requests)} />
      <Stat label={TEXTS.tokens} value={totals && formatNumber(totals.input_tokens + totals.output_tokens)} />
      <Stat label={TEXTS.errors} value={totals && (calls === 0 ? TEXTS.none : formatPercent(totals.errors / calls))} />
    </StatRow>
  );
}

/** Registers a model. */
function RegisterView() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <Page title={TEXTS.registerAModel} description={TEXTS.sayWhereItIs} width="narrow" above={<BackToProviders />}>
      <p>
        <Link to="/providers" search={{ import: true }} className={TEXT_LINK}>
          {texts.modelImport.fromForm}
        </Link>
      </p>
      <ModelForm
        label={TEXTS.registerAModel}
        submitLabel={TEXTS.register}
        cancelTo={<CancelLink />}
        start={NEW_DRAFT}
        isChange={false}
        hasCredential={false}
        bodyOf={registrationOf}
        send={async (draft) => {
          const model = await api.call("POST /v1/provider/models", { body: registrationOf(draft) });
          await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
          toast({
            title: TEXTS.isRegistered(model.name),
            description: model.state === "pending" ? TEXTS.runItsCheckTo : TEXTS.itIsRoutedFrom,
          });
          await navigate({ to: "/providers/$name", params: { name: model.name }, ignoreBlocker: true });
        }}
      />
    </Page>
  );
}
