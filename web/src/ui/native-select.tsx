import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "./cx.ts";
import { useField } from "./field.tsx";

/** The browser's own choice, best for long lists on phones. Takes `<option>`s. */
export function NativeSelect({ className, children, ...rest }: ComponentProps<"select">) {
  const ties = useField();
  return (
    <span className="relative block">
      <select {...ties} {...rest} className={cx("control appearance-none pr-9", className)}>
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
      />
    </span>
  );
}
