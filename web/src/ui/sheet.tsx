import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { CloseButton } from "./close-button.tsx";
import { cx } from "./cx.ts";
import { useDialogFocus } from "./use-dialog-focus.ts";

const WIDTHS = { md: "sm:max-w-md", lg: "sm:max-w-xl", xl: "sm:max-w-3xl" } as const;

export interface SheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly width?: keyof typeof WIDTHS;
  /** Stays open when something beside it is clicked or Escape is pressed, such as while a secret is shown. */
  readonly sticky?: boolean;
  /** Buttons that stay in sight at the lower edge. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** A panel at the right side, the whole screen on phones: details, and forms of some length. */
export function Sheet({
  open,
  onOpenChange,
  title,
  description,
  width = "lg",
  sticky = false,
  footer,
  children,
}: SheetProps) {
  const focus = useDialogFocus();
  const hold = (event: Event) => {
    if (sticky) event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Radix.Content
          {...focus}
          onEscapeKeyDown={hold}
          onInteractOutside={hold}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          className={cx(
            "fixed inset-y-0 right-0 z-50 flex w-full animate-slide flex-col border-l border-line bg-raised shadow-overlay outline-none",
            WIDTHS[width],
          )}
        >
          <header className="flex items-start gap-4 border-b border-line px-5 py-4">
            <div className="min-w-0 grow">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-0.5 text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <CloseButton className="-mr-2" />
            </Radix.Close>
          </header>
          <div className="grow overflow-y-auto px-5 py-5">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
