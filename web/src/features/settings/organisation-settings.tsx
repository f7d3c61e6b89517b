import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Organisation. */
export function OrganisationSettings() {
  useDocumentTitle("Organisation");
  return <EmptyState title="Nothing to show yet">The organisation's name and defaults.</EmptyState>;
}
