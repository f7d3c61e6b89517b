import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";
import { useField } from "./field.tsx";

export interface InputProps extends Omit<ComponentProps<"input">, "prefix"> {
  /** An icon at the left edge. */
  readonly icon?: ReactNode;
  /** Something at the right edge: a unit, a button. */
  readonly suffix?: ReactNode;
  /** For ids, keys and code. */
  readonly mono?: boolean;
}

/** A line of text. Inside a Field it is labelled by it. */
export function Input({ icon, suffix, mono = false, className, type = "text", ...rest }: InputProps) {
  const ties = useField();
  const input = (
    <input
      {...ties}
      {...rest}
      type={type}
      className={cx(
        "control",
        mono && "font-mono",
        icon !== undefined && "pl-9",
        suffix !== undefined && "pr-11",
        className,
      )}
    />
  );
  if (icon === undefined && suffix === undefined) return input;
  return (
    <span className="relative block">
      {icon !== undefined && (
        <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-faint [&_svg]:size-4">
          {icon}
        </span>
      )}
      {input}
      {suffix !== undefined && (
        <span className="absolute inset-y-0 right-1 flex items-center px-2 text-sm text-muted">{suffix}</span>
      )}
    </span>
  );
}
