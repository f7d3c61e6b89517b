import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Download, HandCoins } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operatorMoney.payouts;

type Payout = AnswerOf<"GET /v1/admin/payouts">["data"][number];

const STATES = [
  { value: "requested", label: TEXTS.toApprove },
  { value: "approved", label: TEXTS.toPay },
  { value: "sent", label: TEXTS.paid },
  { value: "failed", label: TEXTS.failed },
  { value: "all", label: TEXTS.all },
] as const;

const TONES = {
  requested: "warning",
  approved: "accent",
  sending: "accent",
  sent: "positive",
  failed: "danger",
} as const;
const WORDS = {
  requested: TEXTS.toApprove,
  approved: TEXTS.toPay,
  sending: TEXTS.beingSent,
  sent: TEXTS.paid,
  failed: TEXTS.failed,
} as const;

/** What the operator is about to do with a payout. */
interface Decision {
  readonly payout: Payout;
  readonly kind: "approve" | "paid" | "fail";
}

function columnsFor(decide: (decision: Decision) => void): readonly Column<Payout>[] {
  return [
    {
      id: "account",
      header: TEXTS.provider,
      cell: ({ account, created_at: at }) => (
        <>
          <span className="wrap-anywhere">{account}</span>
          <span className="block text-xs text-muted">
            <Time at={at} />
          </span>
        </>
      ),
    },
    { id: "amount", header: TEXTS.amount, align: "right", cell: ({ amount }) => <Money credits={amount} /> },
    {
      id: "destination",
      header: TEXTS.paidTo,
      wideOnly: true,
      cell: ({ destination, destination_changed_at: changed }) => (
        <>
          <span className="wrap-anywhere">{destination}</span>
          {changed !== null && (
            <span className="block text-xs text-muted">
              <Sentence text={TEXTS.set} parts={{ time: <Time at={changed} /> }} />
            </span>
          )}
        </>
      ),
    },
    {
      id: "state",
      header: TEXTS.state,
      cell: ({ state, reference }) => (
        <>
          <Badge tone={TONES[state]} dot>
            {WORDS[state]}
          </Badge>
          {reference !== null && <span className="block text-xs wrap-anywhere text-muted">{reference}</span>}
        </>
      ),
    },
    {
      id: "actions",
      header: TEXTS.actions,
      hideHeader: true,
      align: "right",
      cell: (payout) => (
        <div className="flex justify-end gap-2">
          {payout.state === "requested" && (
            <Button size="sm" variant="primary" onClick={() => decide({ payout, kind: "approve" })}>
              {TEXTS.approve}
            </Button>
          )}
          {payout.state === "approved" && payout.method === "bank" && (
            <Button size="sm" variant="primary" onClick={() => decide({ payout, kind: "paid" })}>
              {TEXTS.markAsPaid}
            </Button>
          )}
          {(payout.state === "requested" || payout.state === "approved") && (
            <Button size="sm" variant="ghost" onClick={() => decide({ payout, kind: "fail" })}>
              {TEXTS.refuse}
            </Button>
          )}
        </div>
      ),
    },
  ];
}

/** The tab Payouts: what providers have earned and asked for. */
export function OperatorPayouts() {
  useDocumentTitle(TEXTS.payouts);
  const queries = useQueryClient();
  const [state, setState] = useState<(typeof STATES)[number]["value"]>("requested");
  const [decision, setDecision] = useState<Decision>();
  const filter = state === "all" ? {} : { state };
  const payouts = useInfiniteQuery({
    queryKey: ["operator", "payouts", state],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/payouts", {
        signal,
        query: { limit: 50, ...filter, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const save = useMutation({
    mutationFn: () => api.text("GET /v1/admin/payouts", "text/csv", { query: filter }),
    onSuccess: (text) => saveFile(`payouts-${state}.csv`, "text/csv", text),
  });
  const rows = payouts.data?.pages.flatMap(({ data }) => data) ?? [];
  const refresh = () => queries.invalidateQueries({ queryKey: ["operator", "payouts"] });
  const close = () => setDecision(undefined);
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented label={TEXTS.state} value={state} onValueChange={setState} options={STATES} />
        <Button icon={<Download />} disabled={rows.length === 0} loading={save.isPending} onClick={() => save.mutate()}>
          {TEXTS.csv}
        </Button>
      </div>
      {payouts.isPending ? (
        <SkeletonRows label={TEXTS.payoutsAreLoading} />
      ) : payouts.isError ? (
        <ErrorState error={payouts.error} onRetry={payouts.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<HandCoins />} title={state === "all" ? TEXTS.noPayoutsYet : TEXTS.noneInThisState}>
          {TEXTS.accountsWhoseModelsOthers}
        </EmptyState>
      ) : (
        <>
          <Table label={TEXTS.payouts} columns={columnsFor(setDecision)} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={payouts.hasNextPage}
            loading={payouts.isFetchingNextPage}
            onMore={payouts.fetchNextPage}
            count={TEXTS.countPayouts(rows.length)}
          />
        </>
      )}
      <ConfirmDialog
        open={decision?.kind === "approve"}
        onOpenChange={close}
        title={TEXTS.approveThisPayout}
        confirmLabel={TEXTS.approveIt}
        onConfirm={async () => {
          if (decision === undefined) return;
          await api.call("POST /v1/admin/payouts/{id}/approve", { params: { id: decision.payout.id } });
          toast({ tone: "positive", title: TEXTS.thePayoutIsApproved });
          await refresh();
        }}
      >
        {decision !== undefined && (
          <Sentence
            text={TEXTS.to}
            parts={{
              money: <Money credits={decision.payout.amount} />,
              account: decision.payout.account,
              span: <span className="wrap-anywhere">{decision.payout.destination}</span>,
            }}
          />
        )}
      </ConfirmDialog>
      {decision !== undefined && decision.kind !== "approve" && (
        <EndDialog decision={decision} onClose={close} onDone={refresh} />
      )}
    </div>
  );
}

interface EndDialogProps {
  readonly decision: Decision;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

/** Marks a payout as paid under a reference, or refuses it for a reason. */
function EndDialog({ decision: { payout, kind }, onClose, onDone }: EndDialogProps) {
  const isPaid = kind === "paid";
  const form = useApiForm({
    values: { text: "" },
    send: ({ text }) =>
      isPaid
        ? api.call("POST /v1/admin/payouts/{id}/paid", { params: { id: payout.id }, body: { reference: text } })
        : api.call("POST /v1/admin/payouts/{id}/fail", { params: { id: payout.id }, body: { reason: text } }),
    onSent: async () => {
      toast({ tone: "positive", title: isPaid ? TEXTS.thePayoutIsMarked : TEXTS.thePayoutIsRefused });
      await onDone();
      onClose();
    },
    params: { reference: "text", reason: "text" },
  });
  return (
    <FormDialog
      form={form}
      title={isPaid ? TEXTS.markAsPaid : TEXTS.refuseThisPayout}
      description={isPaid ? TEXTS.onceYourBankHas : TEXTS.itsAmountIsOwed}
      submitLabel={isPaid ? TEXTS.markAsPaid : TEXTS.refuseIt}
      danger={!isPaid}
      onClose={onClose}
    >
      <TextField
        form={form}
        name="text"
        label={isPaid ? TEXTS.theBanksReference : TEXTS.reason}
        hint={isPaid ? TEXTS.itCanBeThat : undefined}
        required
        maxLength={isPaid ? 128 : 256}
      />
    </FormDialog>
  );
}
