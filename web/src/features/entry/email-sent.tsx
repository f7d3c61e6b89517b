import { MailCheck, ScrollText } from "lucide-react";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
import { EntryPage } from "../../ui/entry-page.tsx";

export interface EmailSentProps {
  readonly sent: "mail" | "log";
  /** What was sent, if it was. */
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

/** What to do after a link was made: look into the mailbox, or ask the operator. */
export function EmailSent({ sent, children, footer }: EmailSentProps) {
  const words = texts.entry.forgot;
  const isMailed = sent === "mail";
  return (
    <EntryPage title={isMailed ? words.sentTitle : words.askTitle} footer={footer}>
      <Note icon={isMailed ? <MailCheck aria-hidden="true" /> : <ScrollText aria-hidden="true" />}>
        {children}
        {!isMailed && <p>{words.noMail}</p>}
      </Note>
    </EntryPage>
  );
}

export interface NoteProps {
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

/** What happens next, beside a picture. */
export function Note({ icon, children }: NoteProps) {
  return (
    <div className="flex items-start gap-3" role="status">
      <span className="flex size-10 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent-text [&_svg]:size-5">
        {icon}
      </span>
      <div className="grid gap-2 text-muted">{children}</div>
    </div>
  );
}
