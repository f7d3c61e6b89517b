import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Plus, Ticket } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { plural } from "../../texts/plural.ts";
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

type Code = AnswerOf<"GET /v1/admin/codes">["data"][number];

const STATES = [
  { value: "all", label: "All" },
  { value: "active", label: "Active" },
  { value: "used", label: "Used up" },
  { value: "expired", label: "Expired" },
  { value: "stopped", label: "Stopped" },
] as const;

const TONES = { active: "positive", used: "neutral", expired: "warning", stopped: "danger" } as const;
const WORDS = { active: "Active", used: "Used up", expired: "Expired", stopped: "Stopped" } as const;

function columnsFor(stop: (code: Code) => void): readonly Column<Code>[] {
  return [
    { id: "hint", header: "Code", cell: ({ hint }) => <code className="font-mono text-sm">{hint}</code> },
    { id: "credits", header: "Worth", align: "right", cell: ({ credits }) => <Money credits={credits} /> },
    {
      id: "uses",
      header: "Used",
      align: "right",
      cell: ({ used, uses }) => `${formatNumber(used)} of ${formatNumber(uses)}`,
    },
    {
      id: "state",
      header: "State",
      cell: ({ state }) => (
        <Badge tone={TONES[state]} dot>
          {WORDS[state]}
        </Badge>
      ),
    },
    {
      id: "note",
      header: "Note",
      wideOnly: true,
      cell: ({ note }) => <span className="wrap-anywhere">{note === "" ? "—" : note}</span>,
    },
    {
      id: "expires",
      header: "Expires",
      wideOnly: true,
      cell: ({ expires_at: at }) => (at === null ? "Never" : <Time at={at} />),
    },
    { id: "made", header: "Made", wideOnly: true, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: "actions",
      header: "Actions",
      hideHeader: true,
      align: "right",
      cell: (code) =>
        code.state === "active" && (
          <Button size="sm" variant="ghost" aria-label={`Stop ${code.hint}`} onClick={() => stop(code)}>
            Stop
          </Button>
        ),
    },
  ];
}

/** The tab Codes: what can be redeemed for credits. */
export function OperatorCodes() {
  useDocumentTitle("Redeem codes");
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
      Make codes
    </Button>
  );
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented label="State" value={state} onValueChange={setState} options={STATES} />
        {make}
      </div>
      {codes.isPending ? (
        <SkeletonRows label="Codes are loading" />
      ) : codes.isError ? (
        <ErrorState error={codes.error} onRetry={codes.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<Ticket />} title={state === "all" ? "No codes yet" : "None in this state"}>
          Whoever redeems a code under Billing is given its credits, once.
        </EmptyState>
      ) : (
        <>
          <Table label="Codes" columns={columns} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={codes.hasNextPage}
            loading={codes.isFetchingNextPage}
            onMore={codes.fetchNextPage}
            count={plural(rows.length, { one: "code", other: "codes" })}
          />
        </>
      )}
      <NewCodesDialog open={isNew} onOpenChange={setIsNew} onMade={refresh} />
      <ConfirmDialog
        open={stopping !== undefined}
        onOpenChange={() => setStopping(undefined)}
        title={`Stop ${stopping?.hint ?? ""}?`}
        confirmLabel="Stop it"
        danger
        onConfirm={async () => {
          if (stopping === undefined) return;
          await api.call("DELETE /v1/admin/codes/{id}", { params: { id: stopping.id } });
          toast({ tone: "positive", title: "The code is stopped" });
          await refresh();
        }}
      >
        Nobody can redeem it any more. What was redeemed stays redeemed.
      </ConfirmDialog>
    </div>
  );
}
