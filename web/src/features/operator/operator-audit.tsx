import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Audit. */
export function OperatorAudit() {
  useDocumentTitle("Audit");
  return <EmptyState title="Nothing to show yet">Who did what on this gateway.</EmptyState>;
}
