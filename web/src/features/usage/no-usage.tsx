import { Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { UsageSearch } from "./usage-search.ts";

/** Nothing in this range: what may be wrong, and where to begin. */
export function NoUsage({
  isFiltered,
  onClear,
  onChange,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}) {
  return (
    <EmptyState
      icon={<ChartColumn />}
      title={isFiltered ? "Nothing fits these filters" : "Nothing was used in this range"}
      action={
        isFiltered ? (
          <Button onClick={onClear}>Clear the filters</Button>
        ) : (
          <>
            <Button onClick={() => onChange({ range: "30d", from: undefined, to: undefined })}>
              Show the last 30 days
            </Button>
            <Link to="/playground" className={buttonClass("primary")}>
              Open the playground
            </Link>
          </>
        )
      }
    >
      {isFiltered
        ? "There may be usage outside of them."
        : "Every request shows here within seconds, with its tokens and its cost."}
    </EmptyState>
  );
}
