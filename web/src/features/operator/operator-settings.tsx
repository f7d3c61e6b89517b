import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Settings. */
export function OperatorSettings() {
  useDocumentTitle("Settings");
  return <EmptyState title="Nothing to show yet">How the gateway is set up.</EmptyState>;
}
