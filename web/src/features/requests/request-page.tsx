import { ListTree } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Request. */
export function RequestPage() {
  return (
    <Page title="Request">
      <EmptyState icon={<ListTree />} title="Nothing to show yet">
        One request in full.
      </EmptyState>
    </Page>
  );
}
