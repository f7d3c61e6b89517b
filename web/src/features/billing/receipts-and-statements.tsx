import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarRange, FileText } from "lucide-react";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.billing.receiptsAndStatements;

const RECEIPT_COLUMNS: readonly Column<Receipt>[] = [
  {
    id: "number",
    header: TEXTS.number,
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
    header: TEXTS.day,
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ date }) => showDay(date),
  },
  { id: "amount", header: TEXTS.amount, align: "right", cell: ({ amount }) => <Money credits={amount} /> },
];

const MONTH_COLUMNS: readonly Column<Month>[] = [
  {
    id: "month",
    header: TEXTS.month,
    className: "whitespace-nowrap",
    cell: ({ month }) => (
      <Link to="/billing/statements/$month" params={{ month }} className={TEXT_LINK}>
        {showMonth(month)}
      </Link>
    ),
  },
  { id: "charges", header: TEXTS.charges, align: "right", cell: ({ charges }) => <Money credits={charges} /> },
  {
    id: "closing",
    header: TEXTS.closingBalance,
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
    <Section title={TEXTS.receipts} description={TEXTS.oneForEverythingThat}>
      {receipts.isPending ? (
        <SkeletonRows rows={3} label={TEXTS.receiptsAreLoading} />
      ) : receipts.isError ? (
        <ErrorState error={receipts.error} onRetry={receipts.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<FileText />} title={TEXTS.noReceiptsYet}>
          {TEXTS.theFirstComesWith}
        </EmptyState>
      ) : (
        <>
          <Table label={TEXTS.listOfReceipts} columns={RECEIPT_COLUMNS} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={receipts.hasNextPage}
            loading={receipts.isFetchingNextPage}
            onMore={receipts.fetchNextPage}
            count={TEXTS.countReceipts(rows.length)}
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
    <Section title={TEXTS.statements} description={TEXTS.oneForEveryMonth}>
      {months.isPending ? (
        <SkeletonRows rows={3} label={TEXTS.statementsAreLoading} />
      ) : months.isError ? (
        <ErrorState error={months.error} onRetry={months.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<CalendarRange />} title={TEXTS.noStatementsYet}>
          {TEXTS.theFirstMonthIn}
        </EmptyState>
      ) : (
        <>
          <Table label={TEXTS.listOfStatements} columns={MONTH_COLUMNS} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={months.hasNextPage}
            loading={months.isFetchingNextPage}
            onMore={months.fetchNextPage}
            count={TEXTS.countStatements(rows.length)}
          />
        </>
      )}
    </Section>
  );
}
