import type { ReactNode } from "react";
import { cx } from "./cx.ts";

/** A surface with a hairline around it. */
export function Card({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return <div className={cx("min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5", className)}>{children}</div>;
}
