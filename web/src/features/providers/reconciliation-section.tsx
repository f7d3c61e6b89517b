import { useInfiniteQuery } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useState } from "react";
import { plural } from "../../texts/plural.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDay, formatNumber } from "../../ui/format.ts";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type Compared, comparedQuery } from "./provider-queries.ts";
import { ReportDialog } from "./report-dialog.tsx";

const COLUMNS: readonly Column<Compared>[] = [
  {
    id: "day",
    header: "Day (UTC)",
    cell: ({ day }) => (day === null ? "All time" : formatDay(`${day}T00:00Z`, "UTC")),
  },
  {
    id: "counted",
    header: "Our count",
    align: "right",
    cell: ({ counted }) => <Tally requests={counted.requests} tokens={counted.tokens_processed} />,
  },
  {
    id: "reported",
    header: "Your count",
    align: "right",
    cell: ({ reported }) =>
      reported === null ? (
        <span className="text-muted">Not reported</span>
      ) : (
        <Tally requests={reported.requests} tokens={reported.tokens_processed} />
      ),
  },
  {
    id: "difference",
    header: "Difference",
    align: "right",
    cell: ({ difference }) =>
      difference === null ? null : (
        <Tally requests={difference.requests} tokens={difference.tokens_processed} isSigned />
      ),
  },
  { id: "verdict", header: "Verdict", cell: (row) => <Verdict row={row} /> },
];

/** Our count of the model beside its provider's. */
export function ReconciliationSection({ name, mayReport }: { readonly name: string; mayReport: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const compared = useInfiniteQuery(comparedQuery(name));
  const rows = compared.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section
      title="Reconciliation"
      description="What we counted beside what you report. A difference of more than 5 % is flagged once the day is over."
      actions={mayReport && <Button onClick={() => setIsOpen(true)}>Report your count</Button>}
    >
      {compared.isPending && <SkeletonRows rows={3} label="Loading the counts" />}
      {compared.isError && <ErrorState error={compared.error} onRetry={() => compared.refetch()} />}
      {compared.isSuccess && rows.length === 0 && (
        <EmptyState icon={<Scale />} title="Nothing to compare yet">
          After the first requests, every day is listed here with our count.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <Table
            label="Our count and yours, by day"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ model, day }) => `${model}/${day}`}
            className="max-h-128"
          />
          <LoadMore
            hasMore={compared.hasNextPage}
            loading={compared.isFetchingNextPage}
            onMore={() => void compared.fetchNextPage()}
            count={plural(rows.length, { one: "day", other: "days" })}
          />
        </>
      )}
      {isOpen && <ReportDialog name={name} onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function Tally({ requests, tokens, isSigned = false }: { requests: number; tokens: number; isSigned?: boolean }) {
  const write = (value: number) =>
    isSigned && value !== 0 ? `${value > 0 ? "+" : "−"}${formatNumber(Math.abs(value))}` : formatNumber(value);
  return (
    <span className="grid">
      <span>
        {write(requests)} {Math.abs(requests) === 1 ? "request" : "requests"}
      </span>
      <span className="text-sm text-muted">{write(tokens)} tokens</span>
    </span>
  );
}

function Verdict({ row }: { readonly row: Compared }) {
  if (row.reported === null) return <span className="text-muted">Open</span>;
  if (row.flagged) return <Badge tone="warning">Too far apart</Badge>;
  if (row.provisional) return <Badge>Day not over</Badge>;
  return <Badge tone="positive">Agreed</Badge>;
}
