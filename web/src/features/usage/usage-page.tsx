import { ChartColumn } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Usage. */
export function UsagePage() {
  return (
    <Page title="Usage">
      <EmptyState icon={<ChartColumn />} title="No usage yet">
        What was asked, of which models, and what it cost.
      </EmptyState>
    </Page>
  );
}
