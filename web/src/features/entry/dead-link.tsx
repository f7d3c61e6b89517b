import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";

export interface DeadLinkProps {
  /** What to do instead. */
  readonly children: string;
  readonly to: "/log-in" | "/forgot" | "/sign-up";
  readonly label: string;
}

/** A link that was used before, is over, or was not copied whole. */
export function DeadLink({ children, to, label }: DeadLinkProps) {
  return (
    <EntryPage title={texts.entry.deadLink.title} description={texts.entry.deadLink.description}>
      <p className="text-muted">{children}</p>
      <Link to={to} className={buttonClass("primary", "lg")}>
        {label}
      </Link>
    </EntryPage>
  );
}
