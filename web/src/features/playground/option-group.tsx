import type { ReactNode } from "react";

interface GroupProps {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** Options that belong together, folded away where none of them is set. */
export function Group({ title, isOpen = false, children }: GroupProps) {
  return (
    <details open={isOpen || undefined} className="rounded-lg border border-line bg-surface">
      <summary className="rounded-lg px-4 py-2.5 font-medium">{title}</summary>
      <div className="grid grid-cols-1 gap-4 px-4 pt-1 pb-4 sm:max-lg:grid-cols-2">{children}</div>
    </details>
  );
}
