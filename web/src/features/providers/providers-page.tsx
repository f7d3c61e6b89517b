import { Server } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Providers. */
export function ProvidersPage() {
  return (
    <Page title="Providers">
      <EmptyState icon={<Server />} title="No models of yours yet">
        Models that you provide, and what they earn.
      </EmptyState>
    </Page>
  );
}
