import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Coins } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.operatorMoney.token;

const STATES = [
  { value: "unclaimed", label: TEXTS.unclaimed },
  { value: "review", label: TEXTS.toReview },
  { value: "credited", label: TEXTS.credited },
  { value: "all", label: TEXTS.all },
] as const;

const TONES = { credited: "positive", unclaimed: "warning", empty: "neutral", review: "warning" } as const;
const WORDS = {
  credited: TEXTS.credited,
  unclaimed: TEXTS.unclaimed,
  empty: TEXTS.worthNothing,
  review: TEXTS.toReview,
} as const;

function columnsFor(credit: (deposit: Deposit) => void): readonly Column<Deposit>[] {
  return [
    {
      id: "from",
      header: TEXTS.from,
      cell: ({ from }) => <code className="font-mono text-sm">{`${from.slice(0, 6)}…${from.slice(-4)}`}</code>,
    },
    { id: "amount", header: TEXTS.tokens, align: "right", cell: ({ received }) => received },
    {
      id: "credits",
      header: TEXTS.worth,
      align: "right",
      cell: ({ credits }) => (credits === null ? "—" : <Money credits={credits} />),
    },
    {
      id: "state",
      header: TEXTS.state,
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
      header: TEXTS.transaction,
      wideOnly: true,
      cell: ({ transaction: hash, block }) => (
        <>
          <code className="font-mono text-sm" title={hash}>{`${hash.slice(0, 10)}…`}</code>{" "}
          <span className="text-muted">{TEXTS.block(block)}</span>
        </>
      ),
    },
    { id: "at", header: TEXTS.recorded, wideOnly: true, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: "actions",
      header: TEXTS.actions,
      hideHeader: true,
      align: "right",
      cell: (deposit) =>
        (deposit.state === "unclaimed" || deposit.state === "review") && (
          <Button size="sm" variant="ghost" onClick={() => credit(deposit)}>
            {TEXTS.credit}
          </Button>
        ),
    },
  ];
}

/** The tab Token: the treasury, and payments that wait. */
export function OperatorToken() {
  useDocumentTitle(TEXTS.tokenPayments);
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
      <div className="grid grid-cols-1 gap-4">
        <div className="flex">
          <Segmented label={TEXTS.state} value={state} onValueChange={setState} options={STATES} />
        </div>
        {deposits.isPending ? (
          <SkeletonRows label={TEXTS.paymentsAreLoading} />
        ) : deposits.isError ? (
          <ErrorState error={deposits.error} onRetry={deposits.refetch} />
        ) : rows.length === 0 ? (
          <EmptyState icon={<Coins />} title={state === "all" ? TEXTS.noPaymentsYet : TEXTS.noneInThisState}>
            {TEXTS.paymentsOfWalletsThat}
          </EmptyState>
        ) : (
          <>
            <Table label={TEXTS.tokenPayments} columns={columns} rows={rows} rowKey={({ id }) => id} />
            <LoadMore
              hasMore={deposits.hasNextPage}
              loading={deposits.isFetchingNextPage}
              onMore={deposits.fetchNextPage}
              count={TEXTS.countPayments(rows.length)}
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
  if (data === undefined) return <SkeletonRows rows={4} label={TEXTS.theTreasuryIsLoading} />;
  const behind = data.final_block === null || data.next_block === null ? 0 : data.final_block + 1 - data.next_block;
  return (
    <Card>
      <h2 className="text-lg font-semibold">{TEXTS.treasury}</h2>
      <KeyValue
        items={[
          { label: TEXTS.balance, value: `${data.balance} ${data.symbol}` },
          {
            label: TEXTS.rate,
            value:
              data.rate === null
                ? TEXTS.noFreshPrice
                : (data.rate.source === "fixed" ? TEXTS.creditsPerToken : TEXTS.creditsPerTokenNow)(
                    data.rate.credits_per_token,
                  ),
          },
          { label: TEXTS.address, value: <code className="font-mono text-sm">{data.treasury}</code> },
          { label: TEXTS.chain, value: TEXTS.token(data.chain_id, data.contract) },
          {
            label: TEXTS.readUpTo,
            value:
              data.read_at === null ? (
                TEXTS.notReadYet
              ) : (
                <Sentence
                  text={behind > 0 ? TEXTS.blocksBehind : TEXTS.blockOfLookedAt}
                  parts={{
                    nextBlock: formatNumber((data.next_block ?? 1) - 1),
                    headBlock: formatNumber(data.head_block ?? 0),
                    behind: formatNumber(behind),
                    time: <Time at={data.read_at} />,
                  }}
                />
              ),
          },
          {
            label: TEXTS.withoutAnEvent,
            value: data.unexplained === "0" ? undefined : TEXTS.creditedToNobody(data.unexplained, data.symbol),
          },
        ]}
      />
    </Card>
  );
}
