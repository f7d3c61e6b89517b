import { Pencil, Send, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Switch } from "../../ui/switch.tsx";
import { hostOf } from "./webhook-words.ts";

const TEXTS = texts.hooks.sinks;

/** The receivers of one kind, one below the other. */
export function HookList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {children}
    </ul>
  );
}

export interface HookRowProps {
  readonly url: string;
  readonly description: string;
  readonly facts: ReactNode;
  readonly state: { readonly tone: Tone; readonly label: string };
  readonly enabled: boolean;
  readonly enabledLabel: string;
  readonly mayChange: boolean;
  readonly testLabel: string;
  readonly deleteTitle: string;
  /** With a place for the host. */
  readonly deleteText: string;
  readonly onEnable: (enabled: boolean) => void;
  readonly onTest: () => Promise<void>;
  readonly onEdit: () => void;
  readonly onDelete: () => Promise<void>;
  readonly children?: ReactNode;
}

/** A receiver of one's own, with what can be done with it. */
export function HookRow(props: HookRowProps) {
  const { url, description, state, mayChange } = props;
  const [isTesting, setIsTesting] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const name = description === "" ? hostOf(url) : description;
  return (
    <li className="grid gap-3 px-4 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 grow basis-60">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <span className="wrap-anywhere">{name}</span>
            <Badge tone={state.tone} dot>
              {state.label}
            </Badge>
          </p>
          <p className="text-sm wrap-anywhere text-muted">{hostOf(url)}</p>
          <p className="mt-1 text-sm text-muted">{props.facts}</p>
        </div>
        {mayChange && (
          <div className="flex items-center gap-2">
            <Switch
              label={`${props.enabledLabel}: ${name}`}
              hideLabel
              checked={props.enabled}
              onCheckedChange={props.onEnable}
            />
            <Button
              size="sm"
              icon={<Send aria-hidden="true" />}
              loading={isTesting}
              onClick={() => {
                setIsTesting(true);
                void props.onTest().finally(() => setIsTesting(false));
              }}
            >
              {props.testLabel}
            </Button>
            <IconButton
              size="sm"
              label={`${texts.webhooks.details.edit}: ${name}`}
              icon={<Pencil aria-hidden="true" />}
              onClick={props.onEdit}
            />
            <IconButton
              size="sm"
              label={`${TEXTS.delete}: ${name}`}
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => setIsDeleting(true)}
            />
          </div>
        )}
      </div>
      {props.children}
      <ConfirmDialog
        open={isDeleting}
        onOpenChange={setIsDeleting}
        title={props.deleteTitle}
        confirmLabel={TEXTS.delete}
        danger
        onConfirm={props.onDelete}
      >
        <Sentence text={props.deleteText} parts={{ host: <span className="wrap-anywhere">{hostOf(url)}</span> }} />
      </ConfirmDialog>
    </li>
  );
}
