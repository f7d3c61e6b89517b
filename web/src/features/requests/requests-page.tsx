import { ListTree } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Requests. */
export function RequestsPage() {
  return (
    <Page title="Requests">
      <EmptyState icon={<ListTree />} title="No requests yet">
        Every request, with its route, its cost and what became of it.
      </EmptyState>
    </Page>
  );
}
