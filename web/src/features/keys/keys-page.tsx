import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, Plus, Search } from "lucide-react";
import { useCallback, useState } from "react";
import { api } from "../../api/client.ts";
import { dropFreshKey } from "../../api/fresh-key.ts";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { KeyDetails } from "./key-details.tsx";
import { type Key, searchOf } from "./key-draft.ts";
import { type KeyState, keysQuery, refreshKeys } from "./keys-queries.ts";
import { type KeyAction, KeysTable } from "./keys-table.tsx";
import { type Reach, useReach } from "./use-reach.ts";

const CreateKeySheet = lazyPart(() => import("./key-sheet.tsx").then((module) => module.CreateKeySheet));
const EditKeySheet = lazyPart(() => import("./key-sheet.tsx").then((module) => module.EditKeySheet));
const RotateKeyDialog = lazyPart(() => import("./rotate-key.tsx").then((module) => module.RotateKeyDialog));

const TEXTS = texts.keys;

const STATES = [
  { value: "living", label: TEXTS.all },
  { value: "active", label: TEXTS.states.active },
  { value: "expired", label: TEXTS.states.expired },
  { value: "revoked", label: TEXTS.states.revoked },
] as const satisfies readonly { value: KeyState | "living"; label: string }[];

type StateChoice = (typeof STATES)[number]["value"];

/** The organisation's keys. */
export function KeysPage() {
  const navigate = useNavigate();
  const { create = false } = useSearch({ from: "/shell/keys" });
  const mayChange = usePermission("keys.change");
  const reachOf = useReach();
  const [search, setSearch] = useState("");
  const [state, setState] = useState<StateChoice>("living");
  const [doing, setDoing] = useState<{ readonly action: KeyAction; readonly shown: Key }>();
  const q = searchOf(useDebounced(search));
  const filter = { q, state: state === "living" ? undefined : state };
  const list = useInfiniteQuery(keysQuery(filter));
  const keys = list.data?.pages.flatMap(({ data }) => data);
  const onAct = useCallback((action: KeyAction, shown: Key) => setDoing({ action, shown }), []);
  // As it is now; one that has just left the list is shown as it was.
  const shown = keys?.find(({ id }) => id === doing?.shown.id) ?? doing?.shown;
  const setCreate = (open: boolean) =>
    void navigate({ to: "/keys", search: open ? { create: true } : {}, replace: !open });
  const createButton = mayChange && (
    <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={() => setCreate(true)}>
      {TEXTS.create}
    </Button>
  );
  const isFiltered = q !== undefined || state !== "living";

  return (
    <Page title={TEXTS.title} description={TEXTS.description} actions={createButton}>
      <div className="flex flex-wrap items-end gap-3">
        <Field label={TEXTS.search} hideLabel className="grow sm:max-w-80">
          <Input
            type="search"
            icon={<Search aria-hidden="true" />}
            placeholder={TEXTS.searchPlaceholder}
            value={search}
            autoComplete="off"
            onChange={(event) => setSearch(event.target.value)}
          />
        </Field>
        <Segmented label={TEXTS.filter} value={state} options={STATES} onValueChange={setState} />
      </div>
      {keys === undefined ? (
        list.error === null ? (
          <SkeletonRows label={TEXTS.loading} />
        ) : (
          <ErrorState error={list.error} onRetry={list.refetch} />
        )
      ) : keys.length === 0 ? (
        isFiltered ? (
          <NoneFound
            state={state}
            onClear={() => {
              setSearch("");
              setState("living");
            }}
          />
        ) : (
          <EmptyState icon={<KeyRound />} title={TEXTS.empty.title} action={createButton}>
            {mayChange ? TEXTS.empty.text : TEXTS.empty.forbidden}
          </EmptyState>
        )
      ) : (
        <div className="grid min-w-0 gap-3">
          <KeysTable keys={keys} reachOf={reachOf} selectedId={doing?.shown.id} onAct={onAct} />
          <LoadMore
            hasMore={list.hasNextPage}
            loading={list.isFetchingNextPage}
            onMore={list.fetchNextPage}
            count={TEXTS.count(keys.length)}
          />
        </div>
      )}
      {create && mayChange && (
        <CreateKeySheet
          onClose={() => {
            setCreate(false);
            keepFocus();
          }}
        />
      )}
      {doing !== undefined && shown !== undefined && (
        <Doing
          action={doing.action}
          shown={shown}
          reach={reachOf(shown)}
          onAct={onAct}
          onClose={() => {
            setDoing(undefined);
            keepFocus(shown);
          }}
        />
      )}
    </Page>
  );
}

/** Where what opened something is gone, such as a menu's entry, the focus goes to the key's row, or to the heading. */
function keepFocus(shown?: Key): void {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const own = document.querySelector<HTMLElement>(`[data-key-menu="${shown?.id}"]`);
    (own ?? document.querySelector<HTMLElement>("h1"))?.focus();
  }, 50);
}

interface DoingProps {
  readonly action: KeyAction;
  readonly shown: Key;
  readonly reach: Reach;
  readonly onAct: (action: KeyAction, shown: Key) => void;
  readonly onClose: () => void;
}

/** What is being done with one key. */
function Doing({ action, shown, reach, onAct, onClose }: DoingProps) {
  switch (action) {
    case "details":
      return <KeyDetails shown={shown} reach={reach} onAct={onAct} onClose={onClose} />;
    case "edit":
      return <EditKeySheet shown={shown} onClose={onClose} />;
    case "rotate":
      return <RotateKeyDialog shown={shown} onClose={onClose} />;
    case "revoke":
      return <RevokeKeyDialog shown={shown} onClose={onClose} />;
  }
}

function NoneFound({ state, onClear }: { readonly state: StateChoice; readonly onClear: () => void }) {
  return (
    <EmptyState
      icon={<Search />}
      title={state === "revoked" ? TEXTS.empty.noneRevoked : TEXTS.empty.noneFound}
      action={<Button onClick={onClear}>{TEXTS.empty.clear}</Button>}
    >
      {state === "revoked" ? TEXTS.empty.noneRevokedText : TEXTS.empty.noneFoundText}
    </EmptyState>
  );
}

interface RevokeKeyDialogProps {
  readonly shown: Key;
  readonly onClose: () => void;
}

/** Ends a key for good, once its name was typed. */
function RevokeKeyDialog({ shown, onClose }: RevokeKeyDialogProps) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={onClose}
      title={TEXTS.revoke.title}
      confirmLabel={TEXTS.revoke.confirm}
      typeToConfirm={shown.name}
      onConfirm={async () => {
        await api.call("DELETE /v1/keys/{id}", { params: { id: shown.id } });
        dropFreshKey(shown.id);
        toast({ title: TEXTS.revoke.done });
        await refreshKeys(client);
      }}
    >
      {TEXTS.revoke.warning}
    </ConfirmDialog>
  );
}
