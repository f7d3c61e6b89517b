import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Safety. */
export function OperatorSafety() {
  useDocumentTitle("Safety");
  return <EmptyState title="Nothing to show yet">What the safety checks found.</EmptyState>;
}
