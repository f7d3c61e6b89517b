import { EntryPage } from "../../ui/entry-page.tsx";

/** Invitation. */
export function InvitationPage() {
  return (
    <EntryPage title="Invitation">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
