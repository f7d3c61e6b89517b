import { Server } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Provider. */
export function ProviderPage() {
  return (
    <Page title="Provider">
      <EmptyState icon={<Server />} title="Nothing to show yet">
        One of your models in full.
      </EmptyState>
    </Page>
  );
}
