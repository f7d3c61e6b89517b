import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Download, HandCoins } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatMonth, formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { BackToProviders } from "./back-link.tsx";
import { PayoutDestinationForm } from "./payout-destination-form.tsx";

const TEXTS = texts.earnings.earningsPage;

type Earnings = AnswerOf<"GET /v1/provider/earnings">;
type ModelEarnings = Earnings["this_month"]["models"][number];
type Payout = AnswerOf<"GET /v1/provider/payouts">["data"][number];
type Month = AnswerOf<"GET /v1/provider/statements">["data"][number];

const EARNINGS = ["provider", "earnings"] as const;

/** What one's models earned, and how it is paid. */
export function EarningsPage() {
  const earnings = useQuery({
    queryKey: [...EARNINGS, "standing"],
    queryFn: ({ signal }) => api.call("GET /v1/provider/earnings", { signal }),
  });
  return (
    <Page title={TEXTS.earnings} description={TEXTS.whatClientsPaidFor} above={<BackToProviders />}>
      {earnings.isPending && <SkeletonRows label={TEXTS.loadingYourEarnings} />}
      {earnings.isError && <ErrorState error={earnings.error} onRetry={() => earnings.refetch()} />}
      {earnings.isSuccess && (
        <>
          <Standing earnings={earnings.data} />
          <PayoutSection earnings={earnings.data} />
          <ModelSection models={earnings.data.this_month.models} />
          <StatementSection />
        </>
      )}
    </Page>
  );
}

function Standing({ earnings }: { readonly earnings: Earnings }) {
  return (
    <StatRow>
      <Stat label={TEXTS.owedToYou} value={<Money credits={earnings.payable} />} hint={TEXTS.notRequestedYet} />
      <Stat label={TEXTS.onItsWay} value={<Money credits={earnings.pending} />} hint={TEXTS.requestedNotPaidYet} />
      <Stat label={TEXTS.paid} value={<Money credits={earnings.paid} />} />
      <Stat
        label={TEXTS.thisMonth}
        value={<Money credits={earnings.this_month.net} />}
        hint={TEXTS.afterAFeeOf(earnings.fee_percent)}
      />
    </StatRow>
  );
}

const MODEL_COLUMNS: readonly Column<ModelEarnings>[] = [
  { id: "model", header: TEXTS.model, cell: ({ model }) => <span className="wrap-anywhere">{model}</span> },
  {
    id: "requests",
    header: TEXTS.requests,
    align: "right",
    wideOnly: true,
    cell: ({ requests }) => formatNumber(requests),
  },
  {
    id: "gross",
    header: TEXTS.clientsPaid,
    align: "right",
    wideOnly: true,
    cell: ({ gross }) => <Money credits={gross} />,
  },
  { id: "fee", header: TEXTS.fee, align: "right", wideOnly: true, cell: ({ fee }) => <Money credits={fee} /> },
  { id: "net", header: TEXTS.youGet, align: "right", cell: ({ net }) => <Money credits={net} /> },
];

function ModelSection({ models }: { readonly models: readonly ModelEarnings[] }) {
  return (
    <Section title={TEXTS.thisMonthByModel}>
      {models.length === 0 ? (
        <EmptyState icon={<HandCoins />} title={TEXTS.nothingEarnedThisMonth}>
          {TEXTS.whatOthersPayFor}
        </EmptyState>
      ) : (
        <Table label={TEXTS.earningsByModel} columns={MODEL_COLUMNS} rows={models} rowKey={({ model }) => model} />
      )}
    </Section>
  );
}

const TONES = {
  requested: "warning",
  approved: "accent",
  sending: "accent",
  sent: "positive",
  failed: "danger",
} as const;
const WORDS = {
  requested: TEXTS.waitsForApproval,
  approved: TEXTS.approved,
  sending: TEXTS.beingSent,
  sent: TEXTS.paid,
  failed: TEXTS.notPaid,
} as const;

function payoutColumns(cancel: ((payout: Payout) => void) | undefined): readonly Column<Payout>[] {
  return [
    { id: "date", header: TEXTS.requested, cell: ({ created_at: at }) => <Time at={at} /> },
    { id: "amount", header: TEXTS.amount, align: "right", cell: ({ amount }) => <Money credits={amount} /> },
    {
      id: "state",
      header: TEXTS.state,
      cell: ({ state }) => (
        <Badge tone={TONES[state]} dot>
          {WORDS[state]}
        </Badge>
      ),
    },
    {
      id: "reference",
      header: TEXTS.reference,
      wideOnly: true,
      cell: ({ reference }) => <span className="wrap-anywhere">{reference ?? "—"}</span>,
    },
    {
      id: "actions",
      header: TEXTS.actions,
      hideHeader: true,
      align: "right",
      cell: (payout) =>
        payout.state === "requested" &&
        cancel !== undefined && (
          <Button size="sm" variant="ghost" onClick={() => cancel(payout)}>
            {TEXTS.cancel}
          </Button>
        ),
    },
  ];
}

function PayoutSection({ earnings }: { readonly earnings: Earnings }) {
  const queries = useQueryClient();
  const mayChange = usePermission("provider.change");
  const [isEditing, setIsEditing] = useState(false);
  const [cancelling, setCancelling] = useState<Payout>();
  const refresh = () => queries.invalidateQueries({ queryKey: EARNINGS });
  const payouts = useQuery({
    queryKey: [...EARNINGS, "payouts"],
    queryFn: ({ signal }) => api.call("GET /v1/provider/payouts", { signal, query: { limit: 20 } }),
  });
  const request = useMutation({
    mutationFn: () => api.call("POST /v1/provider/payouts", { body: {} }),
    onSuccess: async () => {
      toast({ tone: "positive", title: TEXTS.thePayoutIsRequested });
      await refresh();
    },
  });
  const rows = payouts.data?.data ?? [];
  const { destination, payable, minimum_payout: minimum } = earnings;
  const canRequest = destination !== null && payable >= minimum && earnings.pending === 0;
  return (
    <Section
      title={TEXTS.payouts}
      description={TEXTS.aPayoutIsTaken}
      actions={
        mayChange && (
          <Button variant="primary" disabled={!canRequest} loading={request.isPending} onClick={() => request.mutate()}>
            {TEXTS.requestAPayout}
          </Button>
        )
      }
    >
      {request.isError && <Banner tone="danger">{request.error.message}</Banner>}
      <Card className="flex flex-wrap items-center justify-between gap-3">
        {destination === null ? (
          <p className="text-muted">{TEXTS.sayWhereYouAre}</p>
        ) : (
          <p className="min-w-0">
            <span className="text-muted">{destination.method === "token" ? TEXTS.wallet : TEXTS.bank} </span>
            <span className="wrap-anywhere">{destination.destination}</span>
          </p>
        )}
        {mayChange && (
          <Button onClick={() => setIsEditing(true)}>{destination === null ? TEXTS.setWhere : TEXTS.change}</Button>
        )}
      </Card>
      <p className="text-sm text-muted">
        <Sentence text={TEXTS.aPayoutIsOf} parts={{ money: <Money credits={minimum} /> }} />
      </p>
      {payouts.isError && <ErrorState error={payouts.error} onRetry={() => payouts.refetch()} />}
      {rows.length > 0 && (
        <Table
          label={TEXTS.yourPayouts}
          columns={payoutColumns(mayChange ? setCancelling : undefined)}
          rows={rows}
          rowKey={({ id }) => id}
        />
      )}
      <PayoutDestinationForm
        open={isEditing}
        onOpenChange={setIsEditing}
        methods={earnings.methods}
        start={destination ?? undefined}
        onSaved={refresh}
      />
      <ConfirmDialog
        open={cancelling !== undefined}
        onOpenChange={() => setCancelling(undefined)}
        title={TEXTS.cancelThisPayout}
        confirmLabel={TEXTS.cancelIt}
        onConfirm={async () => {
          if (cancelling === undefined) return;
          await api.call("DELETE /v1/provider/payouts/{id}", { params: { id: cancelling.id } });
          await refresh();
        }}
      >
        {TEXTS.itsAmountIsOwed}
      </ConfirmDialog>
    </Section>
  );
}

const MONTH_COLUMNS: readonly Column<Month>[] = [
  {
    id: "month",
    header: TEXTS.month,
    className: "whitespace-nowrap",
    cell: ({ month }) => formatMonth(`${month}-01T00:00:00Z`, "UTC"),
  },
  {
    id: "requests",
    header: TEXTS.requests,
    align: "right",
    wideOnly: true,
    cell: ({ requests }) => formatNumber(requests),
  },
  {
    id: "gross",
    header: TEXTS.clientsPaid,
    align: "right",
    wideOnly: true,
    cell: ({ gross }) => <Money credits={gross} />,
  },
  { id: "fee", header: TEXTS.fee, align: "right", wideOnly: true, cell: ({ fee }) => <Money credits={fee} /> },
  { id: "net", header: TEXTS.youGet, align: "right", cell: ({ net }) => <Money credits={net} /> },
  { id: "paid", header: TEXTS.paid, align: "right", wideOnly: true, cell: ({ paid }) => <Money credits={paid} /> },
  { id: "closing", header: TEXTS.owedAtItsEnd, align: "right", cell: ({ closing }) => <Money credits={closing} /> },
];

function StatementSection() {
  const statements = useQuery({
    queryKey: [...EARNINGS, "statements"],
    queryFn: ({ signal }) => api.call("GET /v1/provider/statements", { signal }),
  });
  const save = useMutation({
    mutationFn: () => api.text("GET /v1/provider/statements", "text/csv", {}),
    onSuccess: (text) => saveFile("earnings.csv", "text/csv", text),
  });
  const rows = statements.data?.data ?? [];
  if (statements.isError) return <ErrorState error={statements.error} onRetry={() => statements.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <Section
      title={TEXTS.statements}
      description={TEXTS.whatYouWereOwed}
      actions={
        <Button icon={<Download />} loading={save.isPending} onClick={() => save.mutate()}>
          {TEXTS.csv}
        </Button>
      }
    >
      <Table label={TEXTS.months} columns={MONTH_COLUMNS} rows={rows} rowKey={({ month }) => month} />
    </Section>
  );
}
