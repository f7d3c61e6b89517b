import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { CloseButton } from "./close-button.tsx";
import { cx } from "./cx.ts";
import { useDialogFocus } from "./use-dialog-focus.ts";

const SIZES = { sm: "sm:max-w-md", md: "sm:max-w-lg", lg: "sm:max-w-2xl" } as const;

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly size?: keyof typeof SIZES;
  /** Stays open when something beside it is clicked or Escape is pressed, such as while a secret is shown. */
  readonly sticky?: boolean;
  /** Buttons at the lower edge, the main one last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

/** A question or a short form above the page. The focus stays inside and goes back when it closes. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  size = "md",
  sticky = false,
  footer,
  children,
}: DialogProps) {
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
            "fixed inset-x-3 bottom-3 z-50 mx-auto flex max-h-[calc(100dvh-1.5rem)] animate-rise flex-col rounded-lg border border-line bg-raised shadow-overlay outline-none sm:inset-x-0 sm:top-[12vh] sm:bottom-auto sm:max-h-[76vh]",
            SIZES[size],
          )}
        >
          <header className="flex items-start gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0 grow">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <CloseButton className="-mr-2" />
            </Radix.Close>
          </header>
          {children !== undefined && <div className="overflow-y-auto px-5 pt-1 pb-5">{children}</div>}
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
