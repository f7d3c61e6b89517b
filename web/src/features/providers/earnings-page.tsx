import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Download, HandCoins } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
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
    <Page
      title="Earnings"
      description="What clients paid for your models, less the service's fee, and how you are paid."
      above={<BackToProviders />}
    >
      {earnings.isPending && <SkeletonRows label="Loading your earnings" />}
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
      <Stat label="Owed to you" value={<Money credits={earnings.payable} />} hint="Not requested yet" />
      <Stat label="On its way" value={<Money credits={earnings.pending} />} hint="Requested, not paid yet" />
      <Stat label="Paid" value={<Money credits={earnings.paid} />} />
      <Stat
        label="This month"
        value={<Money credits={earnings.this_month.net} />}
        hint={`After a fee of ${earnings.fee_percent} %`}
      />
    </StatRow>
  );
}

const MODEL_COLUMNS: readonly Column<ModelEarnings>[] = [
  { id: "model", header: "Model", cell: ({ model }) => <span className="wrap-anywhere">{model}</span> },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    wideOnly: true,
    cell: ({ requests }) => formatNumber(requests),
  },
  {
    id: "gross",
    header: "Clients paid",
    align: "right",
    wideOnly: true,
    cell: ({ gross }) => <Money credits={gross} />,
  },
  { id: "fee", header: "Fee", align: "right", wideOnly: true, cell: ({ fee }) => <Money credits={fee} /> },
  { id: "net", header: "You get", align: "right", cell: ({ net }) => <Money credits={net} /> },
];

function ModelSection({ models }: { readonly models: readonly ModelEarnings[] }) {
  return (
    <Section title="This month by model">
      {models.length === 0 ? (
        <EmptyState icon={<HandCoins />} title="Nothing earned this month">
          What others pay for your models appears here within about a minute. Your own requests earn nothing.
        </EmptyState>
      ) : (
        <Table label="Earnings by model" columns={MODEL_COLUMNS} rows={models} rowKey={({ model }) => model} />
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
  requested: "Waits for approval",
  approved: "Approved",
  sending: "Being sent",
  sent: "Paid",
  failed: "Not paid",
} as const;

function payoutColumns(cancel: ((payout: Payout) => void) | undefined): readonly Column<Payout>[] {
  return [
    { id: "date", header: "Requested", cell: ({ created_at: at }) => <Time at={at} /> },
    { id: "amount", header: "Amount", align: "right", cell: ({ amount }) => <Money credits={amount} /> },
    {
      id: "state",
      header: "State",
      cell: ({ state }) => (
        <Badge tone={TONES[state]} dot>
          {WORDS[state]}
        </Badge>
      ),
    },
    {
      id: "reference",
      header: "Reference",
      wideOnly: true,
      cell: ({ reference }) => <span className="wrap-anywhere">{reference ?? "—"}</span>,
    },
    {
      id: "actions",
      header: "Actions",
      hideHeader: true,
      align: "right",
      cell: (payout) =>
        payout.state === "requested" &&
        cancel !== undefined && (
          <Button size="sm" variant="ghost" onClick={() => cancel(payout)}>
            Cancel
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
      toast({ tone: "positive", title: "The payout is requested" });
      await refresh();
    },
  });
  const rows = payouts.data?.data ?? [];
  const { destination, payable, minimum_payout: minimum } = earnings;
  const canRequest = destination !== null && payable >= minimum && earnings.pending === 0;
  return (
    <Section
      title="Payouts"
      description="A payout is taken from what you are owed when you request it, and paid once the operator approves it."
      actions={
        mayChange && (
          <Button variant="primary" disabled={!canRequest} loading={request.isPending} onClick={() => request.mutate()}>
            Request a payout
          </Button>
        )
      }
    >
      {request.isError && <Banner tone="danger">{request.error.message}</Banner>}
      <Card className="flex flex-wrap items-center justify-between gap-3">
        {destination === null ? (
          <p className="text-muted">Say where you are paid to before you request a payout.</p>
        ) : (
          <p className="min-w-0">
            <span className="text-muted">{destination.method === "token" ? "Wallet" : "Bank"} </span>
            <span className="wrap-anywhere">{destination.destination}</span>
          </p>
        )}
        {mayChange && (
          <Button onClick={() => setIsEditing(true)}>{destination === null ? "Set where" : "Change"}</Button>
        )}
      </Card>
      <p className="text-sm text-muted">
        A payout is of at least <Money credits={minimum} />. One can be open at a time.
      </p>
      {payouts.isError && <ErrorState error={payouts.error} onRetry={() => payouts.refetch()} />}
      {rows.length > 0 && (
        <Table
          label="Your payouts"
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
        title="Cancel this payout?"
        confirmLabel="Cancel it"
        onConfirm={async () => {
          if (cancelling === undefined) return;
          await api.call("DELETE /v1/provider/payouts/{id}", { params: { id: cancelling.id } });
          await refresh();
        }}
      >
        Its amount is owed to you again.
      </ConfirmDialog>
    </Section>
  );
}

const MONTH_COLUMNS: readonly Column<Month>[] = [
  {
    id: "month",
    header: "Month",
    className: "whitespace-nowrap",
    cell: ({ month }) => formatMonth(`${month}-01T00:00:00Z`, "UTC"),
  },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    wideOnly: true,
    cell: ({ requests }) => formatNumber(requests),
  },
  {
    id: "gross",
    header: "Clients paid",
    align: "right",
    wideOnly: true,
    cell: ({ gross }) => <Money credits={gross} />,
  },
  { id: "fee", header: "Fee", align: "right", wideOnly: true, cell: ({ fee }) => <Money credits={fee} /> },
  { id: "net", header: "You get", align: "right", cell: ({ net }) => <Money credits={net} /> },
  { id: "paid", header: "Paid", align: "right", wideOnly: true, cell: ({ paid }) => <Money credits={paid} /> },
  { id: "closing", header: "Owed at its end", align: "right", cell: ({ closing }) => <Money credits={closing} /> },
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
      title="Statements"
      description="What you were owed, and the net of the month, less what was paid in it, is owed at its end."
      actions={
        <Button icon={<Download />} loading={save.isPending} onClick={() => save.mutate()}>
          CSV
        </Button>
      }
    >
      <Table label="Months" columns={MONTH_COLUMNS} rows={rows} rowKey={({ month }) => month} />
    </Section>
  );
}
