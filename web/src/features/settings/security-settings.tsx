import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Security. */
export function SecuritySettings() {
  useDocumentTitle("Security");
  return <EmptyState title="Nothing to show yet">Password, passkeys, second factor and sessions.</EmptyState>;
}
