import { KeyRound } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Keys. */
export function KeysPage() {
  return (
    <Page title="Keys">
      <EmptyState icon={<KeyRound />} title="No keys yet">
        A key lets a program call the models and spend from the balance.
      </EmptyState>
    </Page>
  );
}
