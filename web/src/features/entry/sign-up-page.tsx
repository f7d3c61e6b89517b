import { EntryPage } from "../../ui/entry-page.tsx";

/** Sign up. */
export function SignUpPage() {
  return (
    <EntryPage title="Sign up">
      <p className="text-muted">This page is being built.</p>
    </EntryPage>
  );
}
