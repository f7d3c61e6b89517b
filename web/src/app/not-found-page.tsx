import { Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { buttonClass } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";

/** An address that leads nowhere, or where this person may not go. */
export function NotFoundPage() {
  const { title, description, home } = texts.shell.notFound;
  return (
    <Page title={title} width="narrow">
      <EmptyState
        icon={<SearchX />}
        title={description}
        action={
          <Link to="/" className={buttonClass("primary")}>
            {home}
          </Link>
        }
      />
    </Page>
  );
}
