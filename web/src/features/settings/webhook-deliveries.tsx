import { useInfiniteQuery } from "@tanstack/react-query";
import { plural } from "../../texts/plural.ts";
import { Badge } from "../../ui/badge.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { type Delivery, deliveriesQuery } from "./webhook-queries.ts";
import { outcomeOf } from "./webhook-words.ts";

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: "event",
    header: "Event",
    cell: (delivery) => (
      <span className="grid">
        <code className="text-sm">{delivery.type}</code>
        <span className="text-sm text-muted">
          <Time at={delivery.created_at} />
        </span>
      </span>
    ),
  },
  {
    id: "outcome",
    header: "Outcome",
    cell: (delivery) => {
      const { tone, label } = outcomeOf(delivery);
      return (
        <span className="grid justify-items-start gap-0.5">
          <Badge tone={tone} dot>
            {label}
          </Badge>
          {delivery.next_attempt_at !== null && (
            <span className="text-sm text-muted">
              Next try <Time at={delivery.next_attempt_at} />
            </span>
          )}
        </span>
      );
    },
  },
  {
    id: "answer",
    header: "Last answer",
    className: "min-w-36",
    cell: ({ last_status, last_error, attempts }) => (
      <span className="grid">
        <span>{last_status ?? (attempts === 0 ? "Not tried yet" : "None")}</span>
        {last_error !== null && <span className="text-sm wrap-anywhere text-muted">{last_error}</span>}
      </span>
    ),
  },
  { id: "attempts", header: "Tries", align: "right", cell: ({ attempts }) => attempts },
];

/** What became of a webhook's events in the last 30 days. */
export function WebhookDeliveries({ id }: { readonly id: string }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(id),
  );
  const deliveries = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Section
      title="Deliveries"
      description="Of the last 30 days. What fails is tried eight times, over about 31 hours."
    >
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label="Deliveries are loading" />}
      {data !== undefined && deliveries.length === 0 && (
        <p className="rounded-lg border border-dashed border-line-strong px-4 py-5 text-muted">
          Nothing was sent yet. Send a test event to see whether it arrives.
        </p>
      )}
      {deliveries.length > 0 && (
        <>
          <Table label="Table of deliveries" columns={COLUMNS} rows={deliveries} rowKey={(delivery) => delivery.id} />
          <LoadMore
            hasMore={hasNextPage}
            loading={isFetchingNextPage}
            onMore={fetchNextPage}
            count={plural(deliveries.length, { one: "delivery", other: "deliveries" })}
          />
        </>
      )}
    </Section>
  );
}
