import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Profile. */
export function ProfileSettings() {
  useDocumentTitle("Profile");
  return <EmptyState title="Nothing to show yet">Your name and address.</EmptyState>;
}
