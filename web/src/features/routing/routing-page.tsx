import { Waypoints } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Routing. */
export function RoutingPage() {
  return (
    <Page title="Routing">
      <EmptyState icon={<Waypoints />} title="Nothing to show yet">
        How a model is chosen when none is named.
      </EmptyState>
    </Page>
  );
}
