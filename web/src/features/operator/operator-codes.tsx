import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Plus, Ticket } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { NewCodesDialog } from "./new-codes-dialog.tsx";

const TEXTS = texts.operatorMoney.codes;

type Code = AnswerOf<"GET /v1/admin/codes">["data"][number];

const STATES = [
  { value: "all", label: TEXTS.all },
  { value: "active", label: TEXTS.active },
  { value: "used", label: TEXTS.usedUp },
  { value: "expired", label: TEXTS.expired },
  { value: "stopped", label: TEXTS.stopped },
] as const;

const TONES = { active: "positive", used: "neutral", expired: "warning", stopped: "danger" } as const;
const WORDS = { active: TEXTS.active, used: TEXTS.usedUp, expired: TEXTS.expired, stopped: TEXTS.stopped } as const;

function columnsFor(stop: (code: Code) => void): readonly Column<Code>[] {
  return [
    { id: "hint", header: TEXTS.code, cell: ({ hint }) => <code className="font-mono text-sm">{hint}</code> },
    { id: "credits", header: TEXTS.worth, align: "right", cell: ({ credits }) => <Money credits={credits} /> },
    {
      id: "uses",
      header: TEXTS.used,
      align: "right",
      cell: ({ used, uses }) => TEXTS.of(formatNumber(used), formatNumber(uses)),
    },
    {
      id: "state",
      header: TEXTS.state,
      cell: ({ state }) => (
        <Badge tone={TONES[state]} dot>
          {WORDS[state]}
        </Badge>
      ),
    },
    {
      id: "note",
      header: TEXTS.note,
      wideOnly: true,
      cell: ({ note }) => <span className="wrap-anywhere">{note === "" ? "—" : note}</span>,
    },
    {
      id: "expires",
      header: TEXTS.expires,
      wideOnly: true,
      cell: ({ expires_at: at }) => (at === null ? TEXTS.never : <Time at={at} />),
    },
    { id: "made", header: TEXTS.made, wideOnly: true, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: "actions",
      header: TEXTS.actions,
      hideHeader: true,
      align: "right",
      cell: (code) =>
        code.state === "active" && (
          <Button size="sm" variant="ghost" aria-label={TEXTS.stop2(code.hint)} onClick={() => stop(code)}>
            {TEXTS.stop}
          </Button>
        ),
    },
  ];
}

/** The tab Codes: what can be redeemed for credits. */
export function OperatorCodes() {
  useDocumentTitle(TEXTS.redeemCodes);
  const queries = useQueryClient();
  const [state, setState] = useState<(typeof STATES)[number]["value"]>("all");
  const [isNew, setIsNew] = useState(false);
  const [stopping, setStopping] = useState<Code>();
  const codes = useInfiniteQuery({
    queryKey: ["operator", "codes", state],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/codes", {
        signal,
        query: {
          limit: 50,
          ...(state === "all" ? {} : { state }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const columns = useMemo(() => columnsFor(setStopping), []);
  const rows = codes.data?.pages.flatMap(({ data }) => data) ?? [];
  const refresh = () => queries.invalidateQueries({ queryKey: ["operator", "codes"] });
  const make = (
    <Button variant="primary" icon={<Plus />} onClick={() => setIsNew(true)}>
      {TEXTS.makeCodes}
    </Button>
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented label={TEXTS.state} value={state} onValueChange={setState} options={STATES} />
        {make}
      </div>
      {codes.isPending ? (
        <SkeletonRows label={TEXTS.codesAreLoading} />
      ) : codes.isError ? (
        <ErrorState error={codes.error} onRetry={codes.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<Ticket />} title={state === "all" ? TEXTS.noCodesYet : TEXTS.noneInThisState}>
          {TEXTS.whoeverRedeemsACode}
        </EmptyState>
      ) : (
        <>
          <Table label={TEXTS.codes} columns={columns} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={codes.hasNextPage}
            loading={codes.isFetchingNextPage}
            onMore={codes.fetchNextPage}
            count={TEXTS.countCodes(rows.length)}
          />
        </>
      )}
      {isNew && <NewCodesDialog onClose={() => setIsNew(false)} onMade={refresh} />}
      <ConfirmDialog
        open={stopping !== undefined}
        onOpenChange={() => setStopping(undefined)}
        title={TEXTS.stop3(stopping?.hint ?? "")}
        confirmLabel={TEXTS.stopIt}
        danger
        onConfirm={async () => {
          if (stopping === undefined) return;
          await api.call("DELETE /v1/admin/codes/{id}", { params: { id: stopping.id } });
          toast({ tone: "positive", title: TEXTS.theCodeIsStopped });
          await refresh();
        }}
      >
        {TEXTS.nobodyCanRedeemIt}
      </ConfirmDialog>
    </div>
  );
}
