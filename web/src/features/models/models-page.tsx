import { Boxes } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Models. */
export function ModelsPage() {
  return (
    <Page title="Models">
      <EmptyState icon={<Boxes />} title="No models yet">
        Every model that can be called, with its price and how it does.
      </EmptyState>
    </Page>
  );
}
