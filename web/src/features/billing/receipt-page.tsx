import { Wallet } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Receipt. */
export function ReceiptPage() {
  return (
    <Page title="Receipt">
      <EmptyState icon={<Wallet />} title="Nothing to show yet">
        One receipt, to print or to keep.
      </EmptyState>
    </Page>
  );
}
