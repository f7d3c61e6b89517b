import { Ellipsis, Eye, Pencil, RotateCw, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { texts } from "../../texts/texts.ts";
import { formatMoney, formatNumber } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import type { Key } from "./key-draft.ts";
import { ScopeBadges, Spend, StateBadge } from "./key-marks.tsx";
import type { Reach } from "./use-reach.ts";

const TEXTS = texts.keys;

/** What can be done with a key. */
export type KeyAction = "details" | "edit" | "rotate" | "revoke";

export interface KeysTableProps {
  readonly keys: readonly Key[];
  readonly reachOf: (shown: Key) => Reach;
  readonly selectedId: string | undefined;
  readonly onAct: (action: KeyAction, shown: Key) => void;
}

/** The keys, one a row. */
export function KeysTable({ keys, reachOf, selectedId, onAct }: KeysTableProps) {
  const columns = useMemo(() => columnsOf(reachOf, onAct), [reachOf, onAct]);
  return (
    <Table
      label={TEXTS.title}
      columns={columns}
      rows={keys}
      rowKey={({ id }) => id}
      selectedKey={selectedId}
      onRowClick={(shown) => onAct("details", shown)}
    />
  );
}

function columnsOf(reachOf: KeysTableProps["reachOf"], onAct: KeysTableProps["onAct"]): readonly Column<Key>[] {
  return [
    {
      id: "name",
      header: TEXTS.columns.name,
      sortBy: ({ name }) => name.toLowerCase(),
      className: "min-w-32 max-w-72",
      cell: ({ name, hint, state }) => (
        <span className="grid gap-0.5">
          <span className="line-clamp-2 wrap-anywhere">{name}</span>
          <span className="flex flex-wrap items-center gap-2 text-sm font-normal text-muted">
            <code>{hint}</code>
            {state !== "active" && <StateBadge state={state} />}
          </span>
        </span>
      ),
    },
    {
      id: "scopes",
      header: TEXTS.columns.permissions,
      wideOnly: true,
      className: "min-w-44",
      cell: ({ scopes }) => <ScopeBadges scopes={scopes} />,
    },
    {
      id: "spent",
      header: TEXTS.columns.spent,
      sortBy: ({ spent }) => spent.total,
      cell: (shown) => <Spend shown={shown} />,
    },
    {
      id: "used",
      header: TEXTS.columns.lastUsed,
      sortBy: (shown) => shown.last_used_at,
      wideOnly: true,
      cell: (shown) =>
        shown.last_used_at === null ? (
          <span className="text-muted">{TEXTS.never}</span>
        ) : (
          <Time at={shown.last_used_at} />
        ),
    },
    { id: "limits", header: TEXTS.columns.limits, wideOnly: true, cell: (shown) => <Limits shown={shown} /> },
    {
      id: "expires",
      header: TEXTS.columns.expires,
      sortBy: (shown) => shown.expires_at,
      wideOnly: true,
      cell: (shown) =>
        shown.expires_at === null ? (
          <span className="text-muted">{TEXTS.never}</span>
        ) : (
          <Time at={shown.expires_at} form="date" />
        ),
    },
    {
      id: "maker",
      header: TEXTS.columns.createdBy,
      wideOnly: true,
      className: "max-w-40",
      cell: (shown) =>
        shown.made_by === null ? (
          <span className="whitespace-nowrap text-muted">{TEXTS.viaApi}</span>
        ) : (
          <span title={shown.made_by.name} className="block truncate">
            {shown.made_by.name}
          </span>
        ),
    },
    {
      id: "actions",
      header: TEXTS.columns.actions,
      hideHeader: true,
      align: "right",
      cell: (shown) => <KeyMenu shown={shown} reach={reachOf(shown)} onAct={onAct} />,
    },
  ];
}

function Limits({ shown }: { readonly shown: Key }) {
  const limits = [
    shown.budget !== null && TEXTS.limits.budget[shown.budget.period](formatMoney(shown.budget.limit)),
    shown.requests_per_minute !== null && TEXTS.limits.requestsPerMinute(formatNumber(shown.requests_per_minute)),
    shown.models !== null && TEXTS.limits.models(shown.models.length),
    shown.ips !== null && TEXTS.limits.ips(shown.ips.length),
    shown.origins !== null && TEXTS.limits.websites(shown.origins.length),
  ].filter((limit) => limit !== false);
  if (limits.length === 0) return <span className="text-muted">{TEXTS.none}</span>;
  return (
    <span className="grid text-sm whitespace-nowrap text-muted">
      {limits.map((limit) => (
        <span key={limit}>{limit}</span>
      ))}
    </span>
  );
}

interface KeyMenuProps {
  readonly shown: Key;
  readonly reach: Reach;
  readonly onAct: KeysTableProps["onAct"];
}

function KeyMenu({ shown, reach, onAct }: KeyMenuProps) {
  return (
    <Menu
      trigger={
        <IconButton
          label={TEXTS.actionsFor(shown.name)}
          data-key-menu={shown.id}
          size="sm"
          icon={<Ellipsis aria-hidden="true" />}
          tooltipSide="left"
        />
      }
    >
      <MenuItem icon={<Eye aria-hidden="true" />} onSelect={() => onAct("details", shown)}>
        {TEXTS.actions.details}
      </MenuItem>
      {reach !== "none" && (
        <>
          <MenuItem
            icon={<Pencil aria-hidden="true" />}
            disabled={reach === "stop"}
            onSelect={() => onAct("edit", shown)}
          >
            {TEXTS.actions.edit}
          </MenuItem>
          <MenuItem
            icon={<RotateCw aria-hidden="true" />}
            disabled={reach === "stop"}
            onSelect={() => onAct("rotate", shown)}
          >
            {TEXTS.actions.rotate}
          </MenuItem>
          <MenuItem danger icon={<Trash2 aria-hidden="true" />} onSelect={() => onAct("revoke", shown)}>
            {TEXTS.actions.revoke}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
