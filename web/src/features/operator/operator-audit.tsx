import { useInfiniteQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { KeyValue } from "../../ui/key-value.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";

const TEXTS = texts.operator.audit;

type Entry = AnswerOf<"GET /v1/admin/audit-log">["data"][number];

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: "action",
    header: TEXTS.action,
    cell: ({ action, actor }) => (
      <span className="grid">
        <code className="font-mono text-sm">{action}</code>
        <span className="text-sm wrap-anywhere text-muted sm:hidden">{actor.name}</span>
      </span>
    ),
  },
  {
    id: "actor",
    header: TEXTS.who,
    wideOnly: true,
    cell: ({ actor }) => <span className="wrap-anywhere">{actor.name}</span>,
  },
  {
    id: "subject",
    header: TEXTS.what,
    wideOnly: true,
    cell: ({ subject }) => <span className="wrap-anywhere">{subject.name ?? subject.id ?? "—"}</span>,
  },
  {
    id: "when",
    header: TEXTS.when,
    align: "right",
    className: "whitespace-nowrap",
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];

/** The tab Audit: who did what, in every organisation. */
export function OperatorAudit() {
  useDocumentTitle(TEXTS.auditOfAllOrganisations);
  const [action, setAction] = useState("");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [openId, setOpenId] = useState<string>();
  const beginning = useDebounced(action.trim().toLowerCase());
  const log = useInfiniteQuery({
    queryKey: ["operator", "audit", beginning, from, to],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/audit-log", {
        signal,
        query: {
          limit: 50,
          ...(beginning === "" ? {} : { action: beginning }),
          ...(from === "" ? {} : { from }),
          ...(to === "" ? {} : { to }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const rows = log.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={TEXTS.actionBeginsWith} className="w-full sm:w-56">
          <Input
            placeholder={TEXTS.keyOrModelSuspend}
            value={action}
            onChange={(event) => setAction(event.target.value)}
          />
        </Field>
        <Field label={TEXTS.from} className="w-full sm:w-44">
          <Input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
        </Field>
        <Field label={TEXTS.to} className="w-full sm:w-44">
          <Input type="date" value={to} onChange={(event) => setTo(event.target.value)} />
        </Field>
      </div>
      {log.isPending ? (
        <SkeletonRows label={TEXTS.theAuditLogIs} />
      ) : log.isError ? (
        <ErrorState error={log.error} onRetry={log.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<ScrollText />} title={TEXTS.nothingWasDoneThat}>
          {TEXTS.everyChangeInAny}
        </EmptyState>
      ) : (
        <>
          <Table
            label={TEXTS.auditLogOfAll}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            selectedKey={openId}
            onRowClick={({ id }) => setOpenId(id)}
          />
          <LoadMore
            hasMore={log.hasNextPage}
            loading={log.isFetchingNextPage}
            onMore={log.fetchNextPage}
            count={TEXTS.countEntries(rows.length)}
          />
        </>
      )}
      <EntrySheet entry={rows.find(({ id }) => id === openId)} onClose={() => setOpenId(undefined)} />
    </div>
  );
}

function EntrySheet({ entry, onClose }: { readonly entry: Entry | undefined; readonly onClose: () => void }) {
  return (
    <Sheet
      open={entry !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={entry?.action ?? ""}
    >
      {entry !== undefined && (
        <KeyValue
          items={[
            { label: TEXTS.when, value: <Time at={entry.created_at} form="exact" /> },
            { label: TEXTS.who, value: `${entry.actor.name} (${entry.actor.kind})` },
            { label: TEXTS.fromAddress, value: entry.address ?? "—" },
            { label: TEXTS.what, value: entry.subject.name ?? "—" },
            { label: TEXTS.itsId, value: entry.subject.id ?? "—" },
            { label: TEXTS.organisationsId, value: entry.account_id },
            {
              label: TEXTS.details,
              value: (
                <pre className="font-mono text-sm whitespace-pre-wrap wrap-anywhere">
                  {JSON.stringify(entry.details, null, 2)}
                </pre>
              ),
            },
          ]}
        />
      )}
    </Sheet>
  );
}
