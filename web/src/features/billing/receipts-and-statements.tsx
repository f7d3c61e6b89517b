import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarRange, FileText } from "lucide-react";
import { plural } from "../../texts/plural.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { showDay, showMonth } from "./days.ts";
import { type Month, type Receipt, receiptsQuery, statementsQuery } from "./queries.ts";

const RECEIPT_COLUMNS: readonly Column<Receipt>[] = [
  {
    id: "number",
    header: "Number",
    className: "whitespace-nowrap",
    cell: ({ id, number, date }) => (
      <>
        <Link to="/billing/receipts/$id" params={{ id }} className={TEXT_LINK}>
          {number}
        </Link>
        <span className="block text-xs text-muted sm:hidden">{showDay(date)}</span>
      </>
    ),
  },
  {
    id: "date",
    header: "Day",
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ date }) => showDay(date),
  },
  { id: "amount", header: "Amount", align: "right", cell: ({ amount }) => <Money credits={amount} /> },
];

const MONTH_COLUMNS: readonly Column<Month>[] = [
  {
    id: "month",
    header: "Month",
    className: "whitespace-nowrap",
    cell: ({ month }) => (
      <Link to="/billing/statements/$month" params={{ month }} className={TEXT_LINK}>
        {showMonth(month)}
      </Link>
    ),
  },
  { id: "charges", header: "Charges", align: "right", cell: ({ charges }) => <Money credits={charges} /> },
  {
    id: "closing",
    header: "Closing balance",
    align: "right",
    wideOnly: true,
    cell: ({ closing_balance: closing }) => <Money credits={closing} />,
  },
];

/** A receipt for everything that came in. */
export function ReceiptsSection() {
  const receipts = useInfiniteQuery(receiptsQuery);
  const rows = receipts.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section title="Receipts" description="One for everything that came in.">
      {receipts.isPending ? (
        <SkeletonRows rows={3} label="Receipts are loading" />
      ) : receipts.isError ? (
        <ErrorState error={receipts.error} onRetry={receipts.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<FileText />} title="No receipts yet">
          The first comes with the first credits.
        </EmptyState>
      ) : (
        <>
          <Table label="List of receipts" columns={RECEIPT_COLUMNS} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={receipts.hasNextPage}
            loading={receipts.isFetchingNextPage}
            onMore={receipts.fetchNextPage}
            count={plural(rows.length, { one: "receipt", other: "receipts" })}
          />
        </>
      )}
    </Section>
  );
}

/** The months in which anything happened. */
export function StatementsSection() {
  const months = useInfiniteQuery(statementsQuery);
  const rows = months.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section title="Statements" description="One for every month in which anything happened.">
      {months.isPending ? (
        <SkeletonRows rows={3} label="Statements are loading" />
      ) : months.isError ? (
        <ErrorState error={months.error} onRetry={months.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<CalendarRange />} title="No statements yet">
          The first month in which something comes in or is spent will be here.
        </EmptyState>
      ) : (
        <>
          <Table label="List of statements" columns={MONTH_COLUMNS} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={months.hasNextPage}
            loading={months.isFetchingNextPage}
            onMore={months.fetchNextPage}
            count={plural(rows.length, { one: "statement", other: "statements" })}
          />
        </>
      )}
    </Section>
  );
}
