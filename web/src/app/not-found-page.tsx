import { Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";
import { EntryPage } from "../ui/entry-page.tsx";

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <EntryPage title="There is no such page" description="The address may be mistyped, or the page may have moved.">
      <Link to="/" className={buttonClass("primary")}>
        Go to the start
      </Link>
    </EntryPage>
  );
}
