import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Server } from "lucide-react";
import { usePermission, useSession } from "../../api/session.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { ModelsTable } from "./models-table.tsx";
import { OfferGuide } from "./offer-guide.tsx";
import { availabilityQuery, ownModelsQuery, refOf, type Traffic, trafficQuery } from "./provider-queries.ts";
import { RegisterView } from "./register-view.tsx";

/** One's own models, or the form for a new one. */
export function ProvidersPage() {
  const { register } = useSearch({ strict: false });
  return register === true ? <RegisterView /> : <OwnModels />;
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
      title="Providers"
      description="The models you offer, how they do, and what they earn."
      actions={mayChange && rows.length > 0 && <RegisterLink />}
    >
      {models.isPending && <SkeletonRows label="Loading your models" />}
      {models.isError && <ErrorState error={models.error} onRetry={() => models.refetch()} />}
      {models.isSuccess && rows.length === 0 && (
        <>
          <EmptyState
            icon={<Server />}
            title="You offer no models yet"
            action={mayChange ? <RegisterLink /> : undefined}
          >
            Whoever runs a model can offer it here. Clients reach it with the key they have, and pay the price you set.
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
            Earnings are what clients paid at list price in the last 30 days. Payouts come later.
          </p>
        </>
      )}
    </Page>
  );
}

function RegisterLink() {
  return (
    <Link to="/providers" search={{ register: true }} className={buttonClass("primary")}>
      <Plus aria-hidden="true" className="size-4" />
      Register a model
    </Link>
  );
}

function MonthStats({ month }: { readonly month: Traffic | undefined }) {
  const totals = month?.totals;
  const calls = (totals?.requests ?? 0) + (totals?.errors ?? 0);
  return (
    <StatRow>
      <Stat label="Earnings, 30 days" value={totals && <Money credits={totals.earnings} unit />} />
      <Stat label="Answered requests" value={totals && formatNumber(totals.requests)} />
      <Stat label="Tokens" value={totals && formatNumber(totals.input_tokens + totals.output_tokens)} />
      <Stat label="Errors" value={totals && (calls === 0 ? "None" : formatPercent(totals.errors / calls))} />
    </StatRow>
  );
}
