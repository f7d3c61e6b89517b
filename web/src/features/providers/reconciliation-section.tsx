import { useInfiniteQuery } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useState } from "react";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.providers.reconciliationSection;

const COLUMNS: readonly Column<Compared>[] = [
  {
    id: "day",
    header: TEXTS.dayUtc,
    cell: ({ day }) => (day === null ? TEXTS.allTime : formatDay(`${day}T00:00Z`, "UTC")),
  },
  {
    id: "counted",
    header: TEXTS.ourCount,
    align: "right",
    cell: ({ counted }) => <Tally requests={counted.requests} tokens={counted.tokens_processed} />,
  },
  {
    id: "reported",
    header: TEXTS.yourCount,
    align: "right",
    cell: ({ reported }) =>
      reported === null ? (
        <span className="text-muted">{TEXTS.notReported}</span>
      ) : (
        <Tally requests={reported.requests} tokens={reported.tokens_processed} />
      ),
  },
  {
    id: "difference",
    header: TEXTS.difference,
    align: "right",
    cell: ({ difference }) =>
      difference === null ? null : (
        <Tally requests={difference.requests} tokens={difference.tokens_processed} isSigned />
      ),
  },
  { id: "verdict", header: TEXTS.verdict, cell: (row) => <Verdict row={row} /> },
];

/** Our count of the model beside its provider's. */
export function ReconciliationSection({ name, mayReport }: { readonly name: string; mayReport: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const compared = useInfiniteQuery(comparedQuery(name));
  const rows = compared.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section
      title={TEXTS.reconciliation}
      description={TEXTS.whatWeCountedBeside}
      actions={mayReport && <Button onClick={() => setIsOpen(true)}>{TEXTS.reportYourCount}</Button>}
    >
      {compared.isPending && <SkeletonRows rows={3} label={TEXTS.loadingTheCounts} />}
      {compared.isError && <ErrorState error={compared.error} onRetry={() => compared.refetch()} />}
      {compared.isSuccess && rows.length === 0 && (
        <EmptyState icon={<Scale />} title={TEXTS.nothingToCompareYet}>
          {TEXTS.afterTheFirstRequests}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <Table
            label={TEXTS.ourCountAndYours}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ model, day }) => `${model}/${day}`}
            className="max-h-128"
          />
          <LoadMore
            hasMore={compared.hasNextPage}
            loading={compared.isFetchingNextPage}
            onMore={() => void compared.fetchNextPage()}
            count={TEXTS.countDays(rows.length)}
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
      <span>{TEXTS.requests(Math.abs(requests), write(requests))}</span>
      <span className="text-sm text-muted">{TEXTS.tokens(write(tokens))}</span>
    </span>
  );
}

function Verdict({ row }: { readonly row: Compared }) {
  if (row.reported === null) return <span className="text-muted">{TEXTS.open}</span>;
  if (row.flagged) return <Badge tone="warning">{TEXTS.tooFarApart}</Badge>;
  if (row.provisional) return <Badge>{TEXTS.dayNotOver}</Badge>;
  return <Badge tone="positive">{TEXTS.agreed}</Badge>;
}
