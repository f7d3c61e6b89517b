import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { plural } from "../../texts/plural.ts";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { AuditEntry } from "./audit-entry.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { type AuditFilter, auditQuery, NO_FILTER, readAuditCsv } from "./audit-query.ts";
import { NeedsRole } from "./needs-role.tsx";

/** The tab Audit: who did what in the organisation. */
export function AuditSettings() {
  useDocumentTitle("Audit log");
  return usePermission("audit.read") ? <AuditLog /> : <NeedsRole>The audit log is for owners and admins.</NeedsRole>;
}

function AuditLog() {
  const [filter, setFilter] = useState(NO_FILTER);
  const download = useMutation({
    mutationFn: () => readAuditCsv(filter),
    onSuccess: (text) => saveFile("audit-log.csv", "text/csv", text),
    onError: (error) =>
      toast({ tone: "danger", title: errorBeside(error, []) ?? "The file could not be made. Try again." }),
  });
  return (
    <Section
      title="Audit log"
      description="Every change, by whom and from where. It can't be rewritten, and it holds no secrets."
      actions={
        <Button icon={<Download aria-hidden="true" />} loading={download.isPending} onClick={() => download.mutate()}>
          Download CSV
        </Button>
      }
    >
      <AuditFilters filter={filter} onChange={setFilter} />
      <AuditEntries filter={filter} onChange={setFilter} />
    </Section>
  );
}

interface AuditEntriesProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

function AuditEntries({ filter, onChange }: AuditEntriesProps) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = useInfiniteQuery({
    ...auditQuery(filter),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <ErrorState error={error} onRetry={refetch} />;
  if (data === undefined) return <SkeletonRows rows={8} label="The audit log is loading" />;
  const events = data.pages.flatMap((page) => page.data);
  if (events.length === 0) {
    return (
      <EmptyState
        icon={<ScrollText />}
        title={filter === NO_FILTER ? "Nothing was changed yet" : "Nothing fits"}
        action={filter !== NO_FILTER && <Button onClick={() => onChange(NO_FILTER)}>Show everything</Button>}
      >
        {filter === NO_FILTER
          ? "Whatever members and keys change from now on is written here: keys, members, settings, webhooks and models."
          : "No entry has all of what you look for. Widen the dates, or leave something out."}
      </EmptyState>
    );
  }
  return (
    <>
      <ul
        aria-label="Entries of the audit log"
        aria-busy={isPlaceholderData}
        className={cx(
          "divide-y divide-line rounded-lg border border-line bg-surface",
          isPlaceholderData && "opacity-60",
        )}
      >
        {events.map((event) => (
          <AuditEntry key={event.id} event={event} onActor={(actor) => onChange({ ...filter, actor })} />
        ))}
      </ul>
      <LoadMore
        hasMore={hasNextPage}
        loading={isFetchingNextPage}
        onMore={fetchNextPage}
        count={plural(events.length, { one: "entry", other: "entries" })}
      />
    </>
  );
}
