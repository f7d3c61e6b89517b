import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

/** The tab Models. */
export function OperatorModels() {
  useDocumentTitle("Models");
  return <EmptyState title="Nothing to show yet">Every model, whoever provides it.</EmptyState>;
}
