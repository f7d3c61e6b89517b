import { Skeleton, SkeletonRows } from "../ui/skeleton.tsx";

/** A placeholder for a page that is being loaded. */
export function PendingPage() {
  return (
    <div className="mx-auto grid w-full max-w-6xl gap-6">
      <Skeleton className="h-8 w-48" />
      <SkeletonRows label="The page is loading" />
    </div>
  );
}
