import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import { Download, ReceiptText } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { plural } from "../../texts/plural.ts";
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

const KINDS = [
  { value: "all", label: "All" },
  { value: "charge", label: "Charges" },
  { value: "redeem", label: "Codes" },
  { value: "grant", label: "Grants" },
  { value: "purchase", label: "Card" },
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
        title: "The file could not be made",
        ...(error instanceof ApiError ? { description: error.message } : {}),
      }),
  });
  const rows = transactions.data?.pages.flatMap(({ data }) => data) ?? [];
  const change = (part: Partial<TransactionFilter>) => setFilter({ ...filter, ...part });
  const isFiltered = filter.kind !== "all" || filter.from !== "" || filter.to !== "";
  return (
    <Section
      title="Transactions"
      description="Each with the balance after it. A day's charges are one line; open it to see each."
      actions={
        <Button
          size="sm"
          icon={<Download aria-hidden="true" />}
          loading={download.isPending}
          disabled={isReversed}
          onClick={() => download.mutate()}
        >
          Download CSV
        </Button>
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <Segmented
          label="Kind of transaction"
          value={filter.kind}
          onValueChange={(kind) => change({ kind })}
          options={KINDS}
        />
        <Field label="From" className="w-38 sm:ml-auto">
          <Input type="date" value={filter.from} onChange={(event) => change({ from: event.target.value })} />
        </Field>
        <Field label="To" error={isReversed && "This is before the first day."} className="w-38">
          <Input type="date" value={filter.to} onChange={(event) => change({ to: event.target.value })} />
        </Field>
        {isFiltered && (
          <Button variant="ghost" onClick={() => setFilter(NO_FILTER)}>
            Clear
          </Button>
        )}
      </div>
      {transactions.isError ? (
        <ErrorState error={transactions.error} onRetry={transactions.refetch} />
      ) : transactions.isPending ? (
        isReversed || <SkeletonRows label="Transactions are loading" />
      ) : rows.length === 0 ? (
        <EmptyState icon={<ReceiptText />} title={isFiltered ? "Nothing fits" : "No transactions yet"}>
          {isFiltered
            ? "Choose another kind or other days."
            : "Credits that come in and what requests cost will be listed here. Redeem a code to begin."}
        </EmptyState>
      ) : (
        <>
          <TransactionTable rows={rows} />
          <LoadMore
            hasMore={transactions.hasNextPage}
            loading={transactions.isFetchingNextPage}
            onMore={transactions.fetchNextPage}
            count={plural(rows.length, { one: "transaction", other: "transactions" })}
          />
        </>
      )}
    </Section>
  );
}
