import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Boxes, MoreHorizontal, Search } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { plural } from "../../texts/plural.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMs, formatPercent } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Input } from "../../ui/input.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { type Model, ShareDialog } from "./share-dialog.tsx";
import { shareWords } from "./share-words.ts";

type State = Model["state"];

const WORDS: Readonly<Record<State, { readonly label: string; readonly tone: Tone }>> = {
  pending: { label: "Waits for its check", tone: "warning" },
  probation: { label: "On probation", tone: "info" },
  active: { label: "Active", tone: "positive" },
  suspended: { label: "Paused by its provider", tone: "neutral" },
  blocked: { label: "Suspended by you", tone: "danger" },
};

const STATES = [
  { value: "all", label: "Every state" },
  ...(Object.keys(WORDS) as State[]).map((value) => ({ value, label: WORDS[value].label })),
] as const;

type Ruling = { readonly model: Model; readonly word: "approve" | "suspend" | "share" };

function columnsFor(rule: (ruling: Ruling) => void): readonly Column<Model>[] {
  return [
    {
      id: "name",
      header: "Model",
      cell: ({ full_name: name, blocked_reason: reason }) => (
        <span className="grid">
          <span className="font-medium wrap-anywhere">{name}</span>
          {reason !== null && <span className="text-sm text-muted wrap-anywhere">{reason}</span>}
        </span>
      ),
    },
    { id: "type", header: "Type", wideOnly: true, cell: ({ type }) => type },
    {
      id: "state",
      header: "State",
      cell: ({ state, live }) => (
        <span className="flex flex-wrap gap-1">
          <Badge tone={WORDS[state].tone} dot>
            {WORDS[state].label}
          </Badge>
          {!live.available && <Badge tone="danger">Left alone now</Badge>}
        </span>
      ),
    },
    {
      id: "share",
      header: "Share of traffic",
      wideOnly: true,
      cell: (model) => <span className="block max-w-48 min-w-28">{shareWords(model)}</span>,
    },
    {
      id: "endpoint",
      header: "Endpoint",
      wideOnly: true,
      cell: ({ endpoint }) => <code className="font-mono text-sm wrap-anywhere">{endpoint}</code>,
    },
    {
      id: "live",
      header: "Errors, speed",
      align: "right",
      wideOnly: true,
      cell: ({ live }) =>
        live.calls === 0
          ? "No calls yet"
          : `${formatPercent(live.error_rate)}, ${live.latency_ms === null ? "—" : formatMs(live.latency_ms)}`,
    },
    {
      id: "actions",
      header: "Actions",
      hideHeader: true,
      align: "right",
      cell: (model) => (
        <Menu trigger={<IconButton label={`Actions for ${model.full_name}`} icon={<MoreHorizontal />} />}>
          <MenuItem disabled={model.state === "active"} onSelect={() => rule({ model, word: "approve" })}>
            {model.state === "blocked" ? "Put back into service" : "Approve"}
          </MenuItem>
          <MenuItem onSelect={() => rule({ model, word: "share" })}>Set its share…</MenuItem>
          <MenuItem danger disabled={model.state === "blocked"} onSelect={() => rule({ model, word: "suspend" })}>
            Suspend…
          </MenuItem>
        </Menu>
      ),
    },
  ];
}

/** The tab Models: what everyone offers, to approve, to suspend and to give a share of the traffic. */
export function OperatorModels() {
  useDocumentTitle("Models of all providers");
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [state, setState] = useState<State | "all">("all");
  const [ruling, setRuling] = useState<Ruling>();
  const [reason, setReason] = useState("");
  const q = useDebounced(text.trim());
  const models = useInfiniteQuery({
    queryKey: ["operator", "models", q, state],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/models", {
        signal,
        query: {
          limit: 100,
          ...(q === "" ? {} : { q }),
          ...(state === "all" ? {} : { state }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const columns = useMemo(() => columnsFor(setRuling), []);
  const rows = models.data?.pages.flatMap(({ data }) => data) ?? [];
  const carryOut = async () => {
    if (ruling === undefined) return;
    const params = { id: ruling.model.id };
    if (ruling.word === "approve") await api.call("POST /v1/admin/models/{id}/approve", { params });
    else await api.call("POST /v1/admin/models/{id}/suspend", { params, body: { reason } });
    toast({
      tone: "positive",
      title: `${ruling.model.full_name} is ${ruling.word === "approve" ? "in service" : "suspended"}`,
    });
    setReason("");
    await queries.invalidateQueries({ queryKey: ["operator", "models"] });
  };
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Find a model" hideLabel className="w-full sm:w-80">
          <Input
            type="search"
            placeholder="Provider or name"
            icon={<Search />}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Select label="State" value={state} onValueChange={setState} options={STATES} className="w-full sm:w-56" />
      </div>
      {models.isPending ? (
        <SkeletonRows label="Models are loading" />
      ) : models.isError ? (
        <ErrorState error={models.error} onRetry={models.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<Boxes />} title="No registered model matches">
          The built-in models are always there, and are not listed here.
        </EmptyState>
      ) : (
        <>
          <Table label="Registered models" columns={columns} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={models.hasNextPage}
            loading={models.isFetchingNextPage}
            onMore={models.fetchNextPage}
            count={plural(rows.length, { one: "model", other: "models" })}
          />
        </>
      )}
      {ruling?.word === "share" && <ShareDialog model={ruling.model} onClose={() => setRuling(undefined)} />}
      <ConfirmDialog
        open={ruling?.word === "suspend"}
        onOpenChange={() => setRuling(undefined)}
        title={`Suspend ${ruling?.model.full_name ?? ""}?`}
        confirmLabel="Suspend"
        danger
        onConfirm={carryOut}
      >
        <p>No request is routed to it until you put it back. Its provider sees the reason.</p>
        <Field label="Reason" required className="mt-3">
          <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </ConfirmDialog>
      <ConfirmDialog
        open={ruling?.word === "approve"}
        onOpenChange={() => setRuling(undefined)}
        title={`Route to ${ruling?.model.full_name ?? ""}?`}
        confirmLabel="Approve"
        onConfirm={carryOut}
      >
        It serves requests at once, without waiting for its check or its probation.
      </ConfirmDialog>
    </div>
  );
}
