import { Wallet } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Billing. */
export function BillingPage() {
  return (
    <Page title="Billing">
      <EmptyState icon={<Wallet />} title="Nothing to show yet">
        The balance, top-ups, receipts and statements.
      </EmptyState>
    </Page>
  );
}
