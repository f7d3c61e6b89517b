import { getNonce } from "get-nonce";
import { Check, ChevronDown } from "lucide-react";
import { Select as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";
import { useField } from "./field.tsx";

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly description?: ReactNode;
  readonly disabled?: boolean;
}

export interface SelectProps<Value extends string> {
  readonly value: Value | undefined;
  readonly onValueChange: (value: Value) => void;
  readonly options: readonly Option<Value>[];
  readonly placeholder?: string;
  readonly disabled?: boolean;
  /** Needed outside a Field. */
  readonly label?: string;
  readonly className?: string;
}

/** One of a few. For many, take a Combobox. No option's value may be empty. */
export function Select<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder = texts.common.choose,
  disabled = false,
  label,
  className,
}: SelectProps<Value>) {
  const { required, ...ties } = useField();
  const nonce = getNonce();
  return (
    <Radix.Root
      value={value ?? ""}
      onValueChange={(chosen) => onValueChange(chosen as Value)}
      disabled={disabled}
      {...(required === undefined ? {} : { required })}
    >
      <Radix.Trigger
        {...ties}
        {...(label === undefined ? {} : { "aria-label": label })}
        className={cx(
          "control flex items-center justify-between gap-2 text-left data-placeholder:text-faint",
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-[calc(100vw-1rem)] animate-rise overflow-hidden rounded-lg border border-line bg-raised shadow-overlay"
        >
          <Radix.Viewport className="p-1" {...(nonce === undefined ? {} : { nonce })}>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                className="relative flex cursor-default flex-col rounded-sm py-1.5 pr-8 pl-2.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover"
              >
                <Radix.ItemText>{option.label}</Radix.ItemText>
                {option.description !== undefined && <span className="text-sm text-muted">{option.description}</span>}
                <Radix.ItemIndicator className="absolute top-2 right-2.5">
                  <Check aria-hidden="true" className="size-4 text-accent-text" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
