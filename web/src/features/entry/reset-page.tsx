import { EntryPage } from "../../ui/entry-page.tsx";

/** New password. */
export function ResetPage() {
  return (
    <EntryPage title="New password">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
