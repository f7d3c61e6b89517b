import { MailCheck, ScrollText } from "lucide-react";
import type { ReactNode } from "react";
import { EntryPage } from "../../ui/entry-page.tsx";

export interface EmailSentProps {
  readonly sent: "mail" | "log";
  /** What was sent, if it was. */
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

/** What to do after something was sent: look into the mailbox, or ask the operator. */
export function EmailSent({ sent, children, footer }: EmailSentProps) {
  const isMailed = sent === "mail";
  return (
    <EntryPage title={isMailed ? "Check your mail" : "Ask the operator for the link"} footer={footer}>
      <div className="flex items-start gap-3" role="status">
        <span className="flex size-10 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent-text [&_svg]:size-5">
          {isMailed ? <MailCheck aria-hidden="true" /> : <ScrollText aria-hidden="true" />}
        </span>
        <div className="grid gap-2 text-muted">
          {children}
          {!isMailed && <p>This service has no mail server: its operator finds the link in the service's log.</p>}
        </div>
      </div>
    </EntryPage>
  );
}
