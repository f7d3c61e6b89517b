import { Check, Minus } from "lucide-react";
import { Checkbox as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

export interface CheckboxProps {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly checked: boolean | "indeterminate";
  readonly onCheckedChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly hideLabel?: boolean;
  readonly className?: string;
}

/** A box to tick, with its label. */
export function Checkbox({
  label,
  description,
  checked,
  onCheckedChange,
  disabled = false,
  hideLabel = false,
  className,
}: CheckboxProps) {
  const id = useId();
  return (
    <div className={cx("flex items-start gap-2.5", className)}>
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={(state) => onCheckedChange(state === true)}
        aria-describedby={description === undefined ? undefined : `${id}-description`}
        className="mt-0.5 flex size-4.5 shrink-0 items-center disabled:opacity-50 justify-center rounded-[5px] border border-edge bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
      >
        <Radix.Indicator className="text-on-accent">
          {checked === "indeterminate" ? (
            <Minus aria-hidden="true" className="size-3.5" strokeWidth={3} />
          ) : (
            <Check aria-hidden="true" className="size-3.5" strokeWidth={3} />
          )}
        </Radix.Indicator>
      </Radix.Root>
      <span className={cx("min-w-0", hideLabel && "sr-only")}>
        <label htmlFor={id} className={disabled ? "text-muted" : undefined}>
          {label}
        </label>
        {description !== undefined && (
          <span id={`${id}-description`} className="block text-sm text-muted">
            {description}
          </span>
        )}
      </span>
    </div>
  );
}
