import { RadioGroup } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onValueChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon?: ReactNode }[];
  /** Shows the icons alone. */
  readonly iconsOnly?: boolean;
  readonly className?: string;
}

/** One of a few short words, side by side. */
export function Segmented<Value extends string>({
  label,
  value,
  onValueChange,
  options,
  iconsOnly = false,
  className,
}: SegmentedProps<Value>) {
  return (
    <RadioGroup.Root
      value={value}
      onValueChange={(chosen) => onValueChange(chosen as Value)}
      aria-label={label}
      orientation="horizontal"
      className={cx("inline-flex max-w-full flex-wrap gap-0.5 rounded-md bg-hover p-0.5", className)}
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          {...(iconsOnly ? { "aria-label": option.label, title: option.label } : {})}
          className="flex h-8 grow items-center justify-center gap-1.5 rounded-sm border border-transparent px-2.5 text-sm font-medium whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 data-[state=checked]:border-line-strong data-[state=checked]:bg-surface data-[state=checked]:text-text [&_svg]:size-4"
        >
          {option.icon}
          {!iconsOnly && option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
