import { Bot, ChevronRight, KeyRound, User } from "lucide-react";
import { useId, useState } from "react";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Time } from "../../ui/time.tsx";
import { detailText, wordsOf } from "./audit-event-words.ts";
import type { AuditEvent, AuditFilter } from "./audit-query.ts";

const TEXTS = texts.audit.entry;

const ICONS = { person: User, key: KeyRound, service: Bot } as const;

interface AuditEntryProps {
  readonly event: AuditEvent;
  /** Filters the log by the actor of this event. */
  readonly onActor: (actor: AuditFilter["actor"]) => void;
}

/** One entry of the log: a line, and below it all that is known where it is opened. */
export function AuditEntry({ event, onActor }: AuditEntryProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const Icon = ICONS[event.actor.kind];
  const subject = event.subject.name ?? event.subject.id;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="grid w-full grid-cols-[1rem_minmax(0,1fr)] items-start gap-x-3 gap-y-0.5 px-4 py-2.5 text-left hover:bg-subtle focus-visible:-outline-offset-2 sm:grid-cols-[1rem_minmax(0,1.4fr)_minmax(0,1fr)_7rem]"
      >
        <ChevronRight
          aria-hidden="true"
          className={cx(
            "mt-0.5 size-4 text-faint transition-transform motion-reduce:transition-none",
            isOpen && "rotate-90",
          )}
        />
        <span className="min-w-0">
          <span className="font-medium">{wordsOf(event.action)}</span>
          {subject !== null && <span className="wrap-anywhere text-muted"> · {subject}</span>}
        </span>
        <span className="flex min-w-0 items-center gap-1.5 text-muted max-sm:col-start-2">
          <Icon aria-hidden="true" className="size-3.5 shrink-0" />
          <span className="sr-only">{TEXTS.by[event.actor.kind]} </span>
          <span className="truncate">{event.actor.name}</span>
        </span>
        <span className="text-sm text-muted max-sm:col-start-2 sm:text-right">
          <Time at={event.created_at} />
        </span>
      </button>
      <div id={id} hidden={!isOpen} className="border-t border-line bg-subtle px-4 py-2 sm:pl-11">
        {isOpen && (
          <>
            <KeyValue items={itemsOf(event)} />
            {event.actor.id !== null && (
              <Button
                size="sm"
                className="my-2"
                onClick={() => onActor({ id: event.actor.id ?? "", name: event.actor.name })}
              >
                {event.actor.kind === "person" ? TEXTS.onlyPerson : TEXTS.onlyOther}
              </Button>
            )}
          </>
        )}
      </div>
    </li>
  );
}

function itemsOf({ created_at, actor, action, subject, address, details }: AuditEvent) {
  return [
    { label: TEXTS.time, value: <Time at={created_at} form="exact" /> },
    {
      label: TEXTS.actor,
      value: <Sentence text={TEXTS.actorOf} parts={{ name: actor.name, kind: TEXTS.kinds[actor.kind] }} />,
    },
    { label: TEXTS.action, value: <code className="text-sm">{action}</code> },
    {
      label: TEXTS.subject,
      value: subject.id === null ? undefined : <code className="text-sm">{subject.id}</code>,
    },
    { label: TEXTS.address, value: address ?? undefined },
    ...Object.entries(details).map(([name, value]) => ({
      key: `detail ${name}`,
      label: name.replaceAll("_", " "),
      value: detailText(value),
    })),
  ];
}
