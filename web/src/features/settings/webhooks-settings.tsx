import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Webhooks. */
export function WebhooksSettings() {
  useDocumentTitle("Webhooks");
  return <EmptyState title="Nothing to show yet">Where events are sent.</EmptyState>;
}
