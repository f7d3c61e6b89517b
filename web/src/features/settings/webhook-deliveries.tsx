import { useInfiniteQuery } from "@tanstack/react-query";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { type Delivery, deliveriesQuery } from "./webhook-queries.ts";
import { outcomeOf } from "./webhook-words.ts";

const TEXTS = texts.webhooks.deliveries;

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: "event",
    header: TEXTS.event,
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
    header: TEXTS.outcome,
    cell: (delivery) => {
      const { tone, label } = outcomeOf(delivery);
      return (
        <span className="grid justify-items-start gap-0.5">
          <Badge tone={tone} dot>
            {label}
          </Badge>
          {delivery.next_attempt_at !== null && (
            <span className="text-sm text-muted">
              <Sentence text={TEXTS.next} parts={{ time: <Time at={delivery.next_attempt_at} /> }} />
            </span>
          )}
        </span>
      );
    },
  },
  {
    id: "answer",
    header: TEXTS.answer,
    className: "min-w-36",
    cell: ({ last_status, last_error, attempts }) => (
      <span className="grid">
        <span>{last_status ?? (attempts === 0 ? TEXTS.notTried : TEXTS.noAnswer)}</span>
        {last_error !== null && <span className="text-sm wrap-anywhere text-muted">{last_error}</span>}
      </span>
    ),
  },
  { id: "attempts", header: TEXTS.attempts, align: "right", cell: ({ attempts }) => attempts },
];

/** What became of a webhook's events in the last 30 days. */
export function WebhookDeliveries({ id }: { readonly id: string }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(id),
  );
  const deliveries = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label={TEXTS.loading} />}
      {data !== undefined && deliveries.length === 0 && (
        <p className="rounded-lg border border-dashed border-line-strong px-4 py-5 text-muted">{TEXTS.none}</p>
      )}
      {deliveries.length > 0 && (
        <>
          <Table label={TEXTS.label} columns={COLUMNS} rows={deliveries} rowKey={(delivery) => delivery.id} />
          <LoadMore
            hasMore={hasNextPage}
            loading={isFetchingNextPage}
            onMore={fetchNextPage}
            count={TEXTS.count(deliveries.length)}
          />
        </>
      )}
    </Section>
  );
}
