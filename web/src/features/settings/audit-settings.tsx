import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
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

const TEXTS = texts.audit;

/** The tab Audit: who did what in the organisation. */
export function AuditSettings() {
  useDocumentTitle(TEXTS.title);
  return usePermission("audit.read") ? <AuditLog /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function AuditLog() {
  const [filter, setFilter] = useState(NO_FILTER);
  const download = useMutation({
    mutationFn: () => readAuditCsv(filter),
    onSuccess: (text) => saveFile("audit-log.csv", "text/csv", text),
    onError: (error) => toast({ tone: "danger", title: errorBeside(error, []) ?? TEXTS.downloadFailed }),
  });
  return (
    <Section
      title={TEXTS.title}
      description={TEXTS.description}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button icon={<Download aria-hidden="true" />} loading={download.isPending} onClick={() => download.mutate()}>
            {TEXTS.download}
          </Button>
          <a className={buttonClass()} href="/v1/audit-log/export" download="audit-log.jsonl">
            {texts.privacy.signedExport}
          </a>
        </div>
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
  if (data === undefined) return <SkeletonRows rows={8} label={TEXTS.loading} />;
  const events = data.pages.flatMap((page) => page.data);
  if (events.length === 0) {
    return (
      <EmptyState
        icon={<ScrollText />}
        title={filter === NO_FILTER ? TEXTS.empty : TEXTS.noResults}
        action={filter !== NO_FILTER && <Button onClick={() => onChange(NO_FILTER)}>{TEXTS.showAll}</Button>}
      >
        {filter === NO_FILTER ? TEXTS.emptyText : TEXTS.noResultsText}
      </EmptyState>
    );
  }
  return (
    <>
      <ul
        aria-label={TEXTS.label}
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
        count={TEXTS.count(events.length)}
      />
    </>
  );
}
