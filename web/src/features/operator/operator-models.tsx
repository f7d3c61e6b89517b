import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Boxes, MoreHorizontal, Search } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.operator.models;

const TYPES: Readonly<Record<string, string>> = texts.modelImport.types;

type State = Model["state"];

const WORDS: Readonly<Record<State, { readonly label: string; readonly tone: Tone }>> = {
  pending: { label: TEXTS.waitsForItsCheck, tone: "warning" },
  probation: { label: TEXTS.onProbation, tone: "info" },
  active: { label: TEXTS.active, tone: "positive" },
  suspended: { label: TEXTS.pausedByItsProvider, tone: "neutral" },
  blocked: { label: TEXTS.suspendedByYou, tone: "danger" },
};

const STATES = [
  { value: "all", label: TEXTS.everyState },
  ...(Object.keys(WORDS) as State[]).map((value) => ({ value, label: WORDS[value].label })),
] as const;

type Ruling = { readonly model: Model; readonly word: "approve" | "suspend" | "share" };

function columnsFor(rule: (ruling: Ruling) => void): readonly Column<Model>[] {
  return [
    {
      id: "name",
      header: TEXTS.model,
      cell: ({ full_name: name, blocked_reason: reason }) => (
        <span className="grid">
          <span className="font-medium wrap-anywhere">{name}</span>
          {reason !== null && <span className="text-sm text-muted wrap-anywhere">{reason}</span>}
        </span>
      ),
    },
    { id: "type", header: TEXTS.type, wideOnly: true, cell: ({ type }) => TYPES[type] ?? type },
    {
      id: "state",
      header: TEXTS.state,
      cell: ({ state, live }) => (
        <span className="flex flex-wrap gap-1">
          <Badge tone={WORDS[state].tone} dot>
            {WORDS[state].label}
          </Badge>
          {!live.available && <Badge tone="danger">{TEXTS.leftAloneNow}</Badge>}
        </span>
      ),
    },
    {
      id: "share",
      header: TEXTS.shareOfTraffic,
      wideOnly: true,
      cell: (model) => <span className="block max-w-48 min-w-28">{shareWords(model)}</span>,
    },
    {
      id: "endpoint",
      header: TEXTS.endpoint,
      wideOnly: true,
      cell: ({ endpoint }) => <code className="font-mono text-sm wrap-anywhere">{endpoint}</code>,
    },
    {
      id: "live",
      header: TEXTS.errorsSpeed,
      align: "right",
      wideOnly: true,
      cell: ({ live }) =>
        live.calls === 0
          ? TEXTS.noCallsYet
          : `${formatPercent(live.error_rate)}, ${live.latency_ms === null ? "—" : formatMs(live.latency_ms)}`,
    },
    {
      id: "actions",
      header: TEXTS.actions,
      hideHeader: true,
      align: "right",
      cell: (model) => (
        <Menu trigger={<IconButton label={TEXTS.actionsFor(model.full_name)} icon={<MoreHorizontal />} />}>
          <MenuItem disabled={model.state === "active"} onSelect={() => rule({ model, word: "approve" })}>
            {model.state === "blocked" ? TEXTS.putBackIntoService : TEXTS.approve}
          </MenuItem>
          <MenuItem onSelect={() => rule({ model, word: "share" })}>{TEXTS.setItsShare}</MenuItem>
          <MenuItem danger disabled={model.state === "blocked"} onSelect={() => rule({ model, word: "suspend" })}>
            {TEXTS.suspend}
          </MenuItem>
        </Menu>
      ),
    },
  ];
}

/** The tab Models: what everyone offers, to approve, to suspend and to give a share of the traffic. */
export function OperatorModels() {
  useDocumentTitle(TEXTS.modelsOfAllProviders);
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
      title: (ruling.word === "approve" ? TEXTS.approved : TEXTS.suspended)(ruling.model.full_name),
    });
    setReason("");
    await queries.invalidateQueries({ queryKey: ["operator", "models"] });
  };
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={TEXTS.findAModel} hideLabel className="w-full sm:w-80">
          <Input
            type="search"
            placeholder={TEXTS.providerOrName}
            icon={<Search />}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Select
          label={TEXTS.state}
          value={state}
          onValueChange={setState}
          options={STATES}
          className="w-full sm:w-56"
        />
      </div>
      {models.isPending ? (
        <SkeletonRows label={TEXTS.modelsAreLoading} />
      ) : models.isError ? (
        <ErrorState error={models.error} onRetry={models.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<Boxes />} title={TEXTS.noRegisteredModelMatches}>
          {TEXTS.theBuiltInModels}
        </EmptyState>
      ) : (
        <>
          <Table label={TEXTS.registeredModels} columns={columns} rows={rows} rowKey={({ id }) => id} />
          <LoadMore
            hasMore={models.hasNextPage}
            loading={models.isFetchingNextPage}
            onMore={models.fetchNextPage}
            count={TEXTS.countModels(rows.length)}
          />
        </>
      )}
      {ruling?.word === "share" && <ShareDialog model={ruling.model} onClose={() => setRuling(undefined)} />}
      <ConfirmDialog
        open={ruling?.word === "suspend"}
        onOpenChange={() => setRuling(undefined)}
        title={TEXTS.suspend2(ruling?.model.full_name ?? "")}
        confirmLabel={TEXTS.suspend3}
        danger
        onConfirm={carryOut}
      >
        <p>{TEXTS.noRequestIsRouted}</p>
        <Field label={TEXTS.reason} required className="mt-3">
          <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </ConfirmDialog>
      <ConfirmDialog
        open={ruling?.word === "approve"}
        onOpenChange={() => setRuling(undefined)}
        title={TEXTS.routeTo(ruling?.model.full_name ?? "")}
        confirmLabel={TEXTS.approve}
        onConfirm={carryOut}
      >
        {TEXTS.itServesRequestsAt}
      </ConfirmDialog>
    </div>
  );
}
