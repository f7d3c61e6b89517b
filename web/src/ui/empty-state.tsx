import type { ReactNode } from "react";

export interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: ReactNode;
  /** What this is, and what to do next. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** What a list shows before there is anything in it. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex min-w-0 flex-col items-center rounded-lg border border-dashed border-line-strong bg-surface px-6 py-12 text-center">
      {icon !== undefined && (
        <span
          aria-hidden="true"
          className="mb-4 flex size-10 items-center justify-center rounded-lg bg-accent-soft text-accent-text [&_svg]:size-5"
        >
          {icon}
        </span>
      )}
      <p className="text-lg font-semibold">{title}</p>
      {children !== undefined && <div className="mt-1 max-w-md text-balance text-muted">{children}</div>}
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
