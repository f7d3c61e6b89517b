import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { CreditCard } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const TEXTS = texts.operatorMoney.payments;

type Payment = AnswerOf<"GET /v1/admin/payments">["data"][number];
type UnknownPayment = AnswerOf<"GET /v1/admin/payments/unknown">["data"][number];

const VIEWS = [
  { value: "all", label: TEXTS.all },
  { value: "paid", label: TEXTS.paid },
  { value: "open", label: TEXTS.open },
  { value: "taken_back", label: TEXTS.refundedOrDisputed },
  { value: "mismatch", label: TEXTS.wrongAmount },
] as const;
type View = (typeof VIEWS)[number]["value"];

const TONES = { open: "neutral", paid: "positive", failed: "danger", expired: "neutral", mismatch: "warning" } as const;
const WORDS = {
  open: TEXTS.open,
  paid: TEXTS.paid,
  failed: TEXTS.failed,
  expired: TEXTS.expired,
  mismatch: TEXTS.wrongAmount,
} as const;

const COLUMNS: readonly Column<Payment>[] = [
  {
    id: "account",
    header: TEXTS.account,
    cell: ({ account_name: name }) => <span className="wrap-anywhere">{name}</span>,
  },
  { id: "credits", header: TEXTS.credits, align: "right", cell: ({ credits }) => <Money credits={credits} /> },
  {
    id: "state",
    header: TEXTS.state,
    cell: ({ state, reason }) => (
      <>
        <Badge tone={TONES[state]} dot>
          {WORDS[state]}
        </Badge>
        {reason !== null && <span className="block text-sm text-muted wrap-anywhere">{reason}</span>}
      </>
    ),
  },
  {
    id: "refunded",
    header: TEXTS.refunded,
    align: "right",
    wideOnly: true,
    cell: ({ refunded }) => <Money credits={refunded} />,
  },
  {
    id: "disputed",
    header: TEXTS.disputed,
    align: "right",
    wideOnly: true,
    cell: ({ disputed, dispute_state: state }) => (
      <>
        <Money credits={disputed} />
        {state !== null && <span className="block text-sm text-muted">{state.replaceAll("_", " ")}</span>}
      </>
    ),
  },
  {
    id: "kind",
    header: TEXTS.by,
    wideOnly: true,
    cell: ({ kind }) => (kind === "auto" ? TEXTS.automatic : TEXTS.checkout),
  },
  {
    id: "payment",
    header: TEXTS.payment,
    wideOnly: true,
    cell: ({ payment_id: id }) => <code className="font-mono text-sm wrap-anywhere">{id ?? "—"}</code>,
  },
  { id: "made", header: TEXTS.ordered, cell: ({ created_at: at }) => <Time at={at} /> },
];

const UNKNOWN_COLUMNS: readonly Column<UnknownPayment>[] = [
  {
    id: "payment",
    header: TEXTS.payment,
    cell: ({ id }) => <code className="font-mono text-sm wrap-anywhere">{id}</code>,
  },
  {
    id: "amount",
    header: TEXTS.smallestUnits,
    align: "right",
    cell: ({ amount, currency }) => `${amount ?? "—"} ${(currency ?? "").toUpperCase()}`,
  },
  {
    id: "reference",
    header: TEXTS.reference,
    cell: ({ reference }) => <span className="wrap-anywhere">{reference ?? "—"}</span>,
  },
  { id: "made", header: TEXTS.received, cell: ({ created_at: at }) => <Time at={at} /> },
];

/** The tab Payments: what was paid by card, taken back, and paid for no order. */
export function OperatorPayments() {
  useDocumentTitle(TEXTS.cardPayments);
  const [view, setView] = useState<View>("all");
  const payments = useInfiniteQuery({
    queryKey: ["operator", "payments", view],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      api.call("GET /v1/admin/payments", {
        signal,
        query: {
          limit: 50,
          ...(view === "taken_back" ? { taken_back: "true" as const } : view === "all" ? {} : { state: view }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const rows = payments.data?.pages.flatMap(({ data }) => data);
  return (
    <div className="grid gap-8">
      <div className="grid grid-cols-1 gap-4">
        <Segmented label={TEXTS.whichPayments} value={view} onValueChange={setView} options={VIEWS} />
        {rows !== undefined && rows.length > 0 ? (
          <>
            <Table label={TEXTS.cardPayments} columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
            <LoadMore
              hasMore={payments.hasNextPage}
              loading={payments.isFetchingNextPage}
              onMore={payments.fetchNextPage}
              count={TEXTS.countPayments(rows.length)}
            />
          </>
        ) : rows !== undefined ? (
          <EmptyState icon={<CreditCard />} title={TEXTS.noPaymentsHere}>
            {TEXTS.paymentsByCardAppear}
          </EmptyState>
        ) : payments.isError ? (
          <ErrorState error={payments.error} onRetry={payments.refetch} />
        ) : (
          <SkeletonRows rows={6} label={TEXTS.thePaymentsAreLoading} />
        )}
      </div>
      <UnknownPayments />
    </div>
  );
}

/** Payments that name no order of ours. They are never credited. */
function UnknownPayments() {
  const { data } = useQuery({
    queryKey: ["operator", "payments", "unknown"],
    queryFn: ({ signal }) => api.call("GET /v1/admin/payments/unknown", { signal }),
  });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section title={TEXTS.paymentsWithoutAnOrder} description={TEXTS.theyAreNotCredited}>
      <Table label={TEXTS.paymentsWithoutAnOrder} columns={UNKNOWN_COLUMNS} rows={data.data} rowKey={({ id }) => id} />
    </Section>
  );
}
