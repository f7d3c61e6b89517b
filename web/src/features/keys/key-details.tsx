import { Pencil, RotateCw, Trash2 } from "lucide-react";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.keys;
const WORDS = TEXTS.details;

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
              {TEXTS.actions.revoke}
            </Button>
            <Button
              icon={<RotateCw aria-hidden="true" />}
              disabled={reach === "stop"}
              onClick={() => onAct("rotate", shown)}
            >
              {TEXTS.actions.rotate}
            </Button>
            <Button
              variant="primary"
              disabled={reach === "stop"}
              icon={<Pencil aria-hidden="true" />}
              onClick={() => onAct("edit", shown)}
            >
              {TEXTS.actions.edit}
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-7">
        {reach === "stop" && <Banner tone="info">{TEXTS.details.stopOnly}</Banner>}
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
        { label: WORDS.permissions, value: <ScopeBadges scopes={shown.scopes} /> },
        {
          label: WORDS.budget,
          value:
            shown.budget === null ? (
              TEXTS.none
            ) : (
              <span className="grid gap-1">
                <Spend shown={shown} />
                {spent.period_ends_at !== null && (
                  <span className="text-sm text-muted">
                    <Sentence
                      text={WORDS.resets}
                      parts={{ time: <Time at={spent.period_ends_at} form="date-time" /> }}
                    />
                  </span>
                )}
              </span>
            ),
        },
        { label: WORDS.spentTotal, value: <Money credits={spent.total} /> },
        { label: WORDS.requests, value: formatNumber(shown.requests) },
        {
          label: WORDS.lastUsed,
          value: shown.last_used_at === null ? TEXTS.never : <Time at={shown.last_used_at} />,
        },
        {
          label: WORDS.requestsPerMinute,
          value: shown.requests_per_minute === null ? WORDS.serviceLimit : formatNumber(shown.requests_per_minute),
        },
        { label: WORDS.models, value: shown.models?.join(", ") ?? WORDS.allModels },
        {
          label: WORDS.ips,
          value: shown.ips === null ? WORDS.anywhere : <code className="text-sm">{shown.ips.join(", ")}</code>,
        },
        {
          label: WORDS.websites,
          value:
            shown.origins === null ? (
              WORDS.websitesDefault
            ) : (
              <code className="text-sm">{shown.origins.join(", ") || WORDS.noWebsites}</code>
            ),
        },
        {
          label: WORDS.safety,
          value: safetyText(shown.safety),
        },
        {
          label: WORDS.expires,
          value: shown.expires_at === null ? TEXTS.never : <Time at={shown.expires_at} form="date-time" />,
        },
        {
          label: WORDS.oldSecret,
          value:
            shown.old_secret_ends_at === null ? undefined : (
              <Sentence
                text={WORDS.oldSecretUntil}
                parts={{ time: <Time at={shown.old_secret_ends_at} form="date-time" /> }}
              />
            ),
        },
        {
          label: WORDS.revoked,
          value: shown.revoked_at === null ? undefined : <Time at={shown.revoked_at} form="date-time" />,
        },
        {
          label: WORDS.created,
          value: (
            <Sentence
              text={shown.made_by === null ? "{time}" : WORDS.createdBy}
              parts={{ time: <Time at={shown.created_at} form="date-time" />, name: shown.made_by?.name }}
            />
          ),
        },
        {
          label: WORDS.id,
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 truncate text-sm">{shown.id}</code>
              <CopyButton text={shown.id} label={WORDS.copyId} iconOnly />
            </span>
          ),
        },
      ]}
    />
  );
}

function safetyText(rules: Key["safety"]): string {
  if (rules === null) return WORDS.organisationDefault;
  const custom = rules.preset === undefined ? WORDS.customSafety : WORDS.customSafetyPreset(rules.preset);
  return rules.dry_run === true ? WORDS.dryRun(custom) : custom;
}
