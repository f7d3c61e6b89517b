import { EntryPage } from "../../ui/entry-page.tsx";

/** Log in. */
export function LogInPage() {
  return (
    <EntryPage title="Log in">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
