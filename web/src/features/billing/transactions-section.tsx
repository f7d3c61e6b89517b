import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import { Download, ReceiptText } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { NO_FILTER, queryOfFilter, type TransactionFilter, transactionsQuery } from "./queries.ts";
import { TransactionTable } from "./transaction-table.tsx";

const TEXTS = texts.billing.transactionsSection;

const KINDS = [
  { value: "all", label: TEXTS.all },
  { value: "charge", label: TEXTS.charges },
  { value: "redeem", label: TEXTS.codes },
  { value: "grant", label: TEXTS.grants },
  { value: "purchase", label: TEXTS.card },
] as const;

/** What came in and what was spent, by day. */
export function TransactionsSection() {
  const [filter, setFilter] = useState(NO_FILTER);
  const isReversed = filter.from !== "" && filter.to !== "" && filter.from > filter.to;
  const transactions = useInfiniteQuery({ ...transactionsQuery(filter), enabled: !isReversed });
  const download = useMutation({
    mutationFn: () => api.text("GET /v1/transactions", "text/csv", { query: queryOfFilter(filter) }),
    onSuccess: (text) => saveFile("transactions.csv", "text/csv", text),
    onError: (error) =>
      toast({
        tone: "danger",
        title: TEXTS.theFileCouldNot,
        ...(error instanceof ApiError ? { description: error.message } : {}),
      }),
  });
  const rows = transactions.data?.pages.flatMap(({ data }) => data) ?? [];
  const change = (part: Partial<TransactionFilter>) => setFilter({ ...filter, ...part });
  const isFiltered = filter.kind !== "all" || filter.from !== "" || filter.to !== "";
  return (
    <Section
      title={TEXTS.transactions}
      description={TEXTS.eachWithTheBalance}
      actions={
        <Button
          size="sm"
          icon={<Download aria-hidden="true" />}
          loading={download.isPending}
          disabled={isReversed}
          onClick={() => download.mutate()}
        >
          {TEXTS.downloadCsv}
        </Button>
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <Segmented
          label={TEXTS.kindOfTransaction}
          value={filter.kind}
          onValueChange={(kind) => change({ kind })}
          options={KINDS}
        />
        <Field label={TEXTS.from} className="w-38 sm:ml-auto">
          <Input type="date" value={filter.from} onChange={(event) => change({ from: event.target.value })} />
        </Field>
        <Field label={TEXTS.to} error={isReversed && TEXTS.thisIsBeforeThe} className="w-38">
          <Input type="date" value={filter.to} onChange={(event) => change({ to: event.target.value })} />
        </Field>
        {isFiltered && (
          <Button variant="ghost" onClick={() => setFilter(NO_FILTER)}>
            {TEXTS.clear}
          </Button>
        )}
      </div>
      {transactions.isError ? (
        <ErrorState error={transactions.error} onRetry={transactions.refetch} />
      ) : transactions.isPending ? (
        isReversed || <SkeletonRows label={TEXTS.transactionsAreLoading} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<ReceiptText />} title={isFiltered ? TEXTS.nothingFits : TEXTS.noTransactionsYet}>
          {isFiltered ? TEXTS.chooseAnotherKindOr : TEXTS.creditsThatComeIn}
        </EmptyState>
      ) : (
        <>
          <TransactionTable rows={rows} />
          <LoadMore
            hasMore={transactions.hasNextPage}
            loading={transactions.isFetchingNextPage}
            onMore={transactions.fetchNextPage}
            count={TEXTS.countTransactions(rows.length)}
          />
        </>
      )}
    </Section>
  );
}
