import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Coins } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { plural } from "../../texts/plural.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CreditDepositDialog, type Deposit } from "./credit-deposit-dialog.tsx";

const STATES = [
  { value: "unclaimed", label: "Unclaimed" },
  { value: "review", label: "To review" },
  { value: "credited", label: "Credited" },
  { value: "all", label: "All" },
] as const;

const TONES = { credited: "positive", unclaimed: "warning", empty: "neutral", review: "warning" } as const;
const WORDS = { credited: "Credited", unclaimed: "Unclaimed", empty: "Worth nothing", review: "To review" } as const;

function columnsFor(credit: (deposit: Deposit) => void): readonly Column<Deposit>[] {
  return [
    {
      id: "from",
      header: "From",
      cell: ({ from }) => <code className="font-mono text-sm">{`${from.slice(0, 6)}…${from.slice(-4)}`}</code>,
    },
    { id: "amount", header: "Tokens", align: "right", cell: ({ received }) => received },
    {
      id: "credits",
      header: "Worth",
      align: "right",
      cell: ({ credits }) => (credits === null ? "—" : <Money credits={credits} />),
    },
    {
      id: "state",
      header: "State",
      cell: ({ state, note }) => (
        <>
          <Badge tone={TONES[state]} dot>
            {WORDS[state]}
          </Badge>
          {note !== null && <span className="block max-w-72 text-sm text-muted">{note}</span>}
        </>
      ),
    },
    {
      id: "transaction",
      header: "Transaction",
      wideOnly: true,
      cell: ({ transaction: hash, block }) => (
        <>
          <code className="font-mono text-sm" title={hash}>{`${hash.slice(0, 10)}…`}</code>{" "}
          <span className="text-muted">block {block}</span>
        </>
      ),
    },
    { id: "at", header: "Recorded", wideOnly: true, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: "actions",
      header: "Actions",
      hideHeader: true,
      align: "right",
      cell: (deposit) =>
        (deposit.state === "unclaimed" || deposit.state === "review") && (
          <Button size="sm" variant="ghost" onClick={() => credit(deposit)}>
            Credit
          </Button>
        ),
    },
  ];
}

/** The tab Token: the treasury, and payments that wait. */
export function OperatorToken() {
  useDocumentTitle("Token payments");
  const queries = useQueryClient();
  const [state, setState] = useState<(typeof STATES)[number]["value"]>("unclaimed");
  const [crediting, setCrediting] = useState<Deposit>();
  const deposits = useInfiniteQuery({
    queryKey: ["operator", "token", "deposits", state],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/token/deposits", {
        signal,
        query: {
          limit: 50,
          ...(state === "all" ? {} : { state }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const columns = useMemo(() => columnsFor(setCrediting), []);
  const rows = deposits.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="grid gap-6">
      <Treasury />
      <div className="grid gap-4">
        <div className="flex">
          <Segmented label="State" value={state} onValueChange={setState} options={STATES} />
        </div>
        {deposits.isPending ? (
          <SkeletonRows label="Payments are loading" />
        ) : deposits.isError ? (
          <ErrorState error={deposits.error} onRetry={deposits.refetch} />
        ) : rows.length === 0 ? (
          <EmptyState icon={<Coins />} title={state === "all" ? "No payments yet" : "None in this state"}>
            Payments of wallets that no account has linked wait here, until the wallet is linked or you credit them.
          </EmptyState>
        ) : (
          <>
            <Table label="Token payments" columns={columns} rows={rows} rowKey={({ id }) => id} />
            <LoadMore
              hasMore={deposits.hasNextPage}
              loading={deposits.isFetchingNextPage}
              onMore={deposits.fetchNextPage}
              count={plural(rows.length, { one: "payment", other: "payments" })}
            />
          </>
        )}
      </div>
      {crediting !== undefined && (
        <CreditDepositDialog
          deposit={crediting}
          onClose={() => setCrediting(undefined)}
          onCredited={() => queries.invalidateQueries({ queryKey: ["operator", "token"] })}
        />
      )}
    </div>
  );
}

function Treasury() {
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "token", "treasury"],
    queryFn: ({ signal }) => api.call("GET /v1/admin/token", { signal }),
    refetchInterval: 10_000,
  });
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={refetch} />;
  if (data === undefined) return <SkeletonRows rows={4} label="The treasury is loading" />;
  const behind = data.final_block === null || data.next_block === null ? 0 : data.final_block + 1 - data.next_block;
  return (
    <Card>
      <h2 className="text-lg font-semibold">Treasury</h2>
      <KeyValue
        items={[
          { label: "Balance", value: `${data.balance} ${data.symbol}` },
          {
            label: "Rate",
            value:
              data.rate === null
                ? "No fresh price"
                : `${data.rate.credits_per_token} credits per token${data.rate.source === "fixed" ? "" : ", by the price source"}`,
          },
          { label: "Address", value: <code className="font-mono text-sm">{data.treasury}</code> },
          { label: "Chain", value: `${data.chain_id}, token ${data.contract}` },
          {
            label: "Read up to",
            value:
              data.read_at === null ? (
                "Not read yet"
              ) : (
                <>
                  block {formatNumber((data.next_block ?? 1) - 1)} of {formatNumber(data.head_block ?? 0)}
                  {behind > 0 && `, ${formatNumber(behind)} final blocks behind`}; looked at <Time at={data.read_at} />
                </>
              ),
          },
          {
            label: "Without an event",
            value: data.unexplained === "0" ? undefined : `${data.unexplained} ${data.symbol}, credited to nobody`,
          },
        ]}
      />
    </Card>
  );
}
