import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface StatProps {
  readonly label: ReactNode;
  /** Undefined while it loads. */
  readonly value: ReactNode;
  readonly hint?: ReactNode;
  /** A sparkline or the like, below. */
  readonly children?: ReactNode;
}

/** One figure with its name. */
export function Stat({ label, value, hint, children }: StatProps) {
  return (
    <Card className="grid content-start gap-1">
      <span className="text-sm text-muted">{label}</span>
      {value === undefined ? (
        <Skeleton className="my-1 h-6 w-24" />
      ) : (
        <span className="text-lg font-semibold tracking-tight wrap-anywhere sm:text-xl">{value}</span>
      )}
      {hint !== undefined && <span className="text-sm text-muted">{hint}</span>}
      {children}
    </Card>
  );
}

/** Figures side by side, two in a row on phones. */
export function StatRow({ children }: { readonly children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">{children}</div>;
}
