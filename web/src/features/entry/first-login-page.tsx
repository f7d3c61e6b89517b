import { EntryPage } from "../../ui/entry-page.tsx";

/** First log-in. */
export function FirstLoginPage() {
  return (
    <EntryPage title="First log-in">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
