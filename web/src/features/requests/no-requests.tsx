import { Link } from "@tanstack/react-router";
import { ListTree } from "lucide-react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";

/** Nothing here yet, or nothing that fits. */
export function NoRequests({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={<ListTree />}
        title="No request fits these filters"
        action={<Button onClick={onClear}>Clear the filters</Button>}
      >
        Everything there is was searched.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<ListTree />}
      title="No requests yet"
      action={
        <>
          <Link to="/" className={buttonClass()}>
            Send the first one
          </Link>
          <Link to="/playground" className={buttonClass("primary")}>
            Open the playground
          </Link>
        </>
      }
    >
      Every request shows here the moment it is over: which model answered and why, how long each stage took, and what
      it cost.
    </EmptyState>
  );
}
