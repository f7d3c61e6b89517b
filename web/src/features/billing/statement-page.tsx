import { Wallet } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Statement. */
export function StatementPage() {
  return (
    <Page title="Statement">
      <EmptyState icon={<Wallet />} title="Nothing to show yet">
        One month, to print or to keep.
      </EmptyState>
    </Page>
  );
}
