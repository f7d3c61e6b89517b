import { Switch as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

export interface SwitchProps {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly checked: boolean;
  readonly onCheckedChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly hideLabel?: boolean;
  readonly className?: string;
}

/** Something that is on or off at once, without saving. */
export function Switch({
  label,
  description,
  checked,
  onCheckedChange,
  disabled = false,
  hideLabel = false,
  className,
}: SwitchProps) {
  const id = useId();
  return (
    <div className={cx("flex items-start justify-between gap-4", className)}>
      <span className={cx("min-w-0", hideLabel && "sr-only")}>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {description !== undefined && (
          <span id={`${id}-description`} className="block text-sm text-muted">
            {description}
          </span>
        )}
      </span>
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onCheckedChange}
        aria-describedby={description === undefined ? undefined : `${id}-description`}
        className="mt-0.5 h-5 w-9 shrink-0 rounded-full border border-edge bg-edge p-px transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-60"
      >
        <Radix.Thumb className="block size-4 rounded-full bg-white transition-transform data-[state=checked]:translate-x-4" />
      </Radix.Root>
    </div>
  );
}
