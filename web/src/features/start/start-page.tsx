import { House } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Start. */
export function StartPage() {
  return (
    <Page title="Start">
      <EmptyState icon={<House />} title="Welcome">
        What to do first, and how things stand, will be here.
      </EmptyState>
    </Page>
  );
}
