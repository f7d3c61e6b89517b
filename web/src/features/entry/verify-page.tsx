import { EntryPage } from "../../ui/entry-page.tsx";

/** Confirm your address. */
export function VerifyPage() {
  return (
    <EntryPage title="Confirm your address">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
