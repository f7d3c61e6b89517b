import { MessageSquareText } from "lucide-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";

/** Playground. */
export function PlaygroundPage() {
  return (
    <Page title="Playground">
      <EmptyState icon={<MessageSquareText />} title="Nothing to show yet">
        Try a model before writing any code.
      </EmptyState>
    </Page>
  );
}
