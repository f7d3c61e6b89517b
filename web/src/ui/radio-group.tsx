import { RadioGroup as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

export interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly disabled?: boolean;
}

export interface RadioGroupProps<Value extends string> {
  readonly label: string;
  readonly hideLabel?: boolean;
  readonly value: Value;
  readonly onValueChange: (value: Value) => void;
  readonly options: readonly RadioOption<Value>[];
  /** How many options are side by side on a wide screen. */
  readonly columns?: 1 | 2 | 3;
  readonly disabled?: boolean;
}

const COLUMNS = { 1: "", 2: "sm:grid-cols-2", 3: "sm:grid-cols-3" } as const;

/** One of a few that are worth a sentence each. */
export function RadioGroup<Value extends string>({
  label,
  hideLabel = false,
  value,
  onValueChange,
  options,
  columns = 1,
  disabled = false,
}: RadioGroupProps<Value>) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <span id={id} className={cx("text-sm font-medium", hideLabel && "sr-only")}>
        {label}
      </span>
      <Radix.Root
        value={value}
        onValueChange={(chosen) => onValueChange(chosen as Value)}
        disabled={disabled}
        aria-labelledby={id}
        className={cx("grid gap-2", COLUMNS[columns])}
      >
        {options.map((option) => (
          <label
            key={option.value}
            htmlFor={`${id}-${option.value}`}
            className="flex items-start gap-2.5 rounded-md border border-line-strong bg-surface p-3 has-data-[state=checked]:border-accent has-data-[state=checked]:bg-accent-soft has-disabled:opacity-60"
          >
            <Radix.Item
              id={`${id}-${option.value}`}
              value={option.value}
              disabled={option.disabled ?? false}
              className="mt-0.5 flex size-4.5 shrink-0 items-center justify-center rounded-full border border-edge bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent"
            >
              <Radix.Indicator className="size-2 rounded-full bg-on-accent" />
            </Radix.Item>
            <span className="min-w-0">
              <span className="block font-medium">{option.label}</span>
              {option.description !== undefined && (
                <span className="block text-sm text-muted">{option.description}</span>
              )}
            </span>
          </label>
        ))}
      </Radix.Root>
    </div>
  );
}
