import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { cx } from "../../ui/cx.ts";
import { Money } from "../../ui/money.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { DayCharges } from "./day-charges.tsx";
import { showDay } from "./days.ts";
import type { Transaction } from "./queries.ts";

const TEXTS = texts.billing.transactionTable;

const HEAD = "h-9 border-b border-line bg-subtle px-4 text-xs font-medium whitespace-nowrap text-muted";
const CELL = "h-12 border-b border-line px-4 py-2 group-last:border-b-0";

/** Transactions by day; a day's charges can be opened. */
export function TransactionTable({ rows }: { readonly rows: readonly Transaction[] }) {
  return (
    <div
      role="group"
      aria-label={TEXTS.transactionsByDay}
      // It scrolls sideways where figures are long, also for the keyboard.
      tabIndex={0}
      className="min-w-0 overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption className="sr-only">{TEXTS.transactionsByDay}</caption>
        <thead>
          <tr>
            <th scope="col" className={HEAD}>
              {TEXTS.day}
            </th>
            <th scope="col" className={cx(HEAD, "max-sm:hidden")}>
              {TEXTS.what}
            </th>
            <th scope="col" className={cx(HEAD, "text-right")}>
              {TEXTS.amount}
            </th>
            <th scope="col" className={cx(HEAD, "text-right max-sm:hidden")}>
              {TEXTS.balanceAfter}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TransactionRow key={`${row.kind} ${row.id}`} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TransactionRow({ row }: { readonly row: Transaction }) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const isDay = row.requests !== null;
  const what = isDay ? (
    TEXTS.requests(row.requests ?? 0)
  ) : row.amount < 0 ? (
    // What was taken back has no receipt.
    row.description
  ) : (
    <Link to="/billing/receipts/$id" params={{ id: row.id }} className={TEXT_LINK}>
      {row.description}
    </Link>
  );
  return (
    <>
      <tr className="group">
        <td className={cx(CELL, "whitespace-nowrap")}>
          {isDay ? (
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              aria-label={TEXTS.chargesOf(showDay(row.date))}
              onClick={() => setIsOpen(!isOpen)}
              className="-ml-1.5 inline-flex items-center gap-1.5 rounded-sm py-1 pr-1.5 font-medium hover:underline"
            >
              <ChevronRight
                aria-hidden="true"
                className={cx("size-4 text-muted transition-transform", isOpen && "rotate-90")}
              />
              {showDay(row.date)}
            </button>
          ) : (
            <span className="pl-4 font-medium">{showDay(row.date)}</span>
          )}
          <span className="block pl-4 wrap-anywhere whitespace-normal text-muted sm:hidden">{what}</span>
        </td>
        <td className={cx(CELL, "wrap-anywhere max-sm:hidden", isDay && "text-muted")}>{what}</td>
        <td className={cx(CELL, "text-right whitespace-nowrap")}>
          <Money credits={row.amount} signed className={cx(row.amount > 0 && "font-medium text-positive")} />
          <span className="block text-xs text-muted sm:hidden">
            <span className="sr-only">{TEXTS.balanceAfter2}</span>
            <Money credits={row.balance_after} />
          </span>
        </td>
        <td className={cx(CELL, "text-right whitespace-nowrap text-muted max-sm:hidden")}>
          <Money credits={row.balance_after} />
        </td>
      </tr>
      {isOpen && (
        <tr id={id}>
          <td colSpan={4} className="border-b border-line bg-subtle p-0">
            <DayCharges day={row.date} />
          </td>
        </tr>
      )}
    </>
  );
}
