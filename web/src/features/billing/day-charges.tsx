import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatClock, formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { showDay } from "./days.ts";
import { chargesQuery, settingsQuery, type Transaction } from "./queries.ts";

const TEXTS = texts.billing.dayCharges;

/** The charges of one day, each with the way to its request. */
export function DayCharges({ day }: { readonly day: string }) {
  const charges = useInfiniteQuery(chargesQuery(day));
  // The day is one of the account's zone, and so are its times.
  const { data: settings } = useQuery(settingsQuery);
  if (charges.isError) {
    return (
      <div className="p-4">
        <ErrorState error={charges.error} onRetry={charges.refetch} />
      </div>
    );
  }
  if (charges.isPending) {
    return (
      <div role="status" aria-busy="true" className="grid gap-3 px-4 py-3 sm:px-9">
        <span className="sr-only">{TEXTS.theChargesAreLoading}</span>
        <Skeleton className="h-4 w-2/3" />
        <Skeleton className="h-4 w-1/2" />
      </div>
    );
  }
  const rows = charges.data.pages.flatMap(({ data }) => data);
  return (
    <div className="px-4 py-2 sm:pl-9">
      <ul aria-label={TEXTS.chargesOf(showDay(day))} className="grid divide-y divide-line">
        {rows.map((row) => (
          <ChargeLine key={row.id} row={row} zone={settings?.time_zone} />
        ))}
      </ul>
      {charges.hasNextPage && (
        <Button
          size="sm"
          variant="ghost"
          className="my-1 -ml-2.5"
          loading={charges.isFetchingNextPage}
          onClick={() => {
            void charges.fetchNextPage();
          }}
        >
          {TEXTS.loadMoreCharges}
        </Button>
      )}
    </div>
  );
}

function ChargeLine({ row, zone }: { readonly row: Transaction; readonly zone: string | undefined }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 py-1.5 text-sm">
      <span className="w-10 text-muted">{row.created_at !== null && formatClock(row.created_at, zone)}</span>
      {row.request_id !== null && (
        <Link to="/requests/$id" params={{ id: row.request_id }} className={TEXT_LINK}>
          <span className="wrap-anywhere">{row.model ?? TEXTS.aRequest}</span>
        </Link>
      )}
      <span className="min-w-0 text-muted wrap-anywhere">
        {TEXTS.inOut(
          row.key_name ?? TEXTS.aKey,
          formatNumber(row.input_tokens ?? 0),
          formatNumber(row.output_tokens ?? 0),
        )}
      </span>
      <Money credits={row.amount} className="ml-auto" />
    </li>
  );
}
