import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Health. */
export function OperatorHealth() {
  useDocumentTitle("Health");
  return <EmptyState title="Nothing to show yet">How the gateway and its parts do.</EmptyState>;
}
