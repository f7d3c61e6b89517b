import { EntryPage } from "../../ui/entry-page.tsx";

/** Forgotten password. */
export function ForgotPage() {
  return (
    <EntryPage title="Forgotten password">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
