import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Members. */
export function MembersSettings() {
  useDocumentTitle("Members");
  return (
    <EmptyState title="Nothing to show yet">
      Who belongs to the organisation, and what they may do.
    </EmptyState>
  );
}
