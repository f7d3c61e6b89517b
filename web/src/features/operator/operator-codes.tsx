import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Codes. */
export function OperatorCodes() {
  useDocumentTitle("Codes");
  return <EmptyState title="Nothing to show yet">Codes that can be redeemed for credits.</EmptyState>;
}
