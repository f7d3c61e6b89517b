import { Pencil, RotateCw, Trash2 } from "lucide-react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatNumber } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Time } from "../../ui/time.tsx";
import type { Key } from "./key-draft.ts";
import { LastDays, LastRequests } from "./key-history.tsx";
import { ScopeBadges, Spend, StateBadge } from "./key-marks.tsx";
import type { KeyAction } from "./keys-table.tsx";
import type { Reach } from "./use-reach.ts";

export interface KeyDetailsProps {
  readonly shown: Key;
  readonly reach: Reach;
  readonly onAct: (action: KeyAction, shown: Key) => void;
  readonly onClose: () => void;
}

/** Everything about one key, and what it was used for lately. */
export function KeyDetails({ shown, reach, onAct, onClose }: KeyDetailsProps) {
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={<span className="wrap-anywhere">{shown.name}</span>}
      description={
        <span className="flex flex-wrap items-center gap-2">
          <code>{shown.hint}</code>
          <StateBadge state={shown.state} />
        </span>
      }
      footer={
        reach === "none" ? undefined : (
          <>
            <Button icon={<Trash2 aria-hidden="true" />} onClick={() => onAct("revoke", shown)}>
              Revoke
            </Button>
            <Button
              icon={<RotateCw aria-hidden="true" />}
              disabled={reach === "stop"}
              onClick={() => onAct("rotate", shown)}
            >
              Rotate
            </Button>
            <Button
              variant="primary"
              disabled={reach === "stop"}
              icon={<Pencil aria-hidden="true" />}
              onClick={() => onAct("edit", shown)}
            >
              Change
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-7">
        {reach === "stop" && (
          <Banner tone="info">This key may do more than your role. You can revoke it, but not change it.</Banner>
        )}
        <Terms shown={shown} />
        <LastDays id={shown.id} />
        <LastRequests id={shown.id} />
      </div>
    </Sheet>
  );
}

function Terms({ shown }: { readonly shown: Key }) {
  const { spent } = shown;
  return (
    <KeyValue
      items={[
        { label: "May do", value: <ScopeBadges scopes={shown.scopes} /> },
        {
          label: "Budget",
          value:
            shown.budget === null ? (
              "None"
            ) : (
              <span className="grid gap-1">
                <Spend shown={shown} />
                {spent.period_ends_at !== null && (
                  <span className="text-sm text-muted">
                    Begins anew <Time at={spent.period_ends_at} form="date-time" />
                  </span>
                )}
              </span>
            ),
        },
        { label: "Spent ever", value: <Money credits={spent.total} /> },
        { label: "Answered requests", value: formatNumber(shown.requests) },
        {
          label: "Last used",
          value: shown.last_used_at === null ? "Never" : <Time at={shown.last_used_at} />,
        },
        {
          label: "Requests a minute",
          value: shown.requests_per_minute === null ? "The service's limit" : formatNumber(shown.requests_per_minute),
        },
        { label: "Models", value: shown.models?.join(", ") ?? "Every model" },
        {
          label: "Addresses",
          value: shown.ips === null ? "Anywhere" : <code className="text-sm">{shown.ips.join(", ")}</code>,
        },
        {
          label: "Websites",
          value:
            shown.origins === null ? "Default" : <code className="text-sm">{shown.origins.join(", ") || "none"}</code>,
        },
        {
          label: "Safety",
          value:
            shown.safety === null
              ? "As the organisation has it"
              : `Rules of its own${shown.safety.preset === undefined ? "" : `, ${shown.safety.preset}`}${shown.safety.dry_run === true ? ", dry run" : ""}`,
        },
        {
          label: "Expires",
          value: shown.expires_at === null ? "Never" : <Time at={shown.expires_at} form="date-time" />,
        },
        {
          label: "Old secret",
          value:
            shown.old_secret_ends_at === null ? undefined : (
              <>
                Works until <Time at={shown.old_secret_ends_at} form="date-time" />
              </>
            ),
        },
        {
          label: "Revoked",
          value: shown.revoked_at === null ? undefined : <Time at={shown.revoked_at} form="date-time" />,
        },
        {
          label: "Made",
          value: (
            <>
              <Time at={shown.created_at} form="date-time" />
              {shown.made_by === null ? "" : ` by ${shown.made_by.name}`}
            </>
          ),
        },
        {
          label: "Id",
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 truncate text-sm">{shown.id}</code>
              <CopyButton text={shown.id} label="Copy the id" iconOnly />
            </span>
          ),
        },
      ]}
    />
  );
}
