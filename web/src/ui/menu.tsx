import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

const ITEM =
  "flex cursor-default items-center gap-2.5 rounded-sm px-2.5 py-1.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted";

export interface MenuProps {
  /** One button. */
  readonly trigger: ReactNode;
  readonly align?: "start" | "center" | "end";
  readonly side?: "top" | "right" | "bottom" | "left";
  readonly className?: string;
  /** MenuItems and their kin. */
  readonly children: ReactNode;
}

/** A list of things to do, opened by a button. */
export function Menu({ trigger, align = "end", side = "bottom", className, children }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cx(
            "z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-rise overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-overlay",
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** What stands at the right edge, such as a shortcut. */
  readonly aside?: ReactNode;
  readonly onSelect?: () => void;
  readonly children: ReactNode;
}

/** One thing to do. */
export function MenuItem({ icon, danger = false, disabled = false, aside, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={() => onSelect?.()}
      className={cx(ITEM, danger && "text-danger [&_svg]:text-danger")}
    >
      {icon}
      <span className="min-w-0 grow truncate">{children}</span>
      {aside}
    </Radix.Item>
  );
}

export interface MenuRadioProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onValueChange: (value: Value) => void;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly aside?: ReactNode;
  }[];
}

/** One of several, inside a menu. */
export function MenuRadio<Value extends string>({ label, value, onValueChange, options }: MenuRadioProps<Value>) {
  return (
    <>
      <MenuLabel>{label}</MenuLabel>
      <Radix.RadioGroup value={value} onValueChange={(chosen) => onValueChange(chosen as Value)}>
        {options.map((option) => (
          <Radix.RadioItem key={option.value} value={option.value} className={ITEM}>
            <span className="flex size-4 shrink-0">
              <Radix.ItemIndicator>
                <Check aria-hidden="true" className="text-accent-text!" />
              </Radix.ItemIndicator>
            </span>
            <span className="min-w-0 grow truncate">{option.label}</span>
            {option.aside}
          </Radix.RadioItem>
        ))}
      </Radix.RadioGroup>
    </>
  );
}

/** A word above a group of items. */
export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-faint">{children}</Radix.Label>;
}

/** A line between groups. */
export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
