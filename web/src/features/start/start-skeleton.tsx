import { Skeleton } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";

/** A placeholder until the figures are there. */
export function StartSkeleton() {
  return (
    <div role="status" aria-busy="true" className="grid gap-6">
      <span className="sr-only">Loading the figures</span>
      <StatRow>
        {["Balance", "Spent today", "Spent this month", "Requests this month"].map((label) => (
          <Stat key={label} label={label} value={undefined} />
        ))}
      </StatRow>
      <Skeleton className="h-64 w-full rounded-lg" />
    </div>
  );
}
