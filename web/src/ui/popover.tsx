import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export interface PopoverProps {
  /** One button. */
  readonly trigger: ReactNode;
  /** What it is, for those who don't see it. */
  readonly label: string;
  readonly align?: "start" | "center" | "end";
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A small panel at a button: filters, details. */
export function Popover({ trigger, label, align = "start", open, onOpenChange, className, children }: PopoverProps) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className={cx(
            "z-50 w-80 max-w-[calc(100vw-1rem)] animate-rise rounded-lg border border-line bg-raised p-4 shadow-overlay outline-none",
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
