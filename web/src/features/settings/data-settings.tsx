import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Data. */
export function DataSettings() {
  useDocumentTitle("Data");
  return (
    <EmptyState title="Nothing to show yet">What is kept, for how long, and how to take it away.</EmptyState>
  );
}
