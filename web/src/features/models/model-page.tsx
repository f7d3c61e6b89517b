import { Boxes } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Model. */
export function ModelPage() {
  return (
    <Page title="Model">
      <EmptyState icon={<Boxes />} title="Nothing to show yet">
        One model in full.
      </EmptyState>
    </Page>
  );
}
