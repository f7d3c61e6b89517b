import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Accounts. */
export function OperatorAccounts() {
  useDocumentTitle("Accounts");
  return <EmptyState title="Nothing to show yet">Every organisation on this gateway.</EmptyState>;
}
