import type { ReactNode } from "react";

/** A key to press. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex min-w-5 items-center justify-center rounded-sm border border-line-strong bg-subtle px-1 font-sans text-xs text-muted">
      {children}
    </kbd>
  );
}
