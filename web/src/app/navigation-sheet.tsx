import { Dialog } from "radix-ui";
import { CloseButton } from "../ui/close-button.tsx";
import { focusFirst } from "../ui/focus-first.ts";
import { Logo } from "../ui/logo.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { NavigationList } from "./navigation-list.tsx";
import { OrganisationMenu } from "./organisation-menu.tsx";

export interface NavigationSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The navigation on phones. */
export function NavigationSheet({ open, onOpenChange }: NavigationSheetProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Dialog.Content
          onOpenAutoFocus={focusFirst}
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] animate-slide-left flex-col gap-3 border-r border-line bg-canvas px-3 py-3 shadow-overlay outline-none"
        >
          <div className="flex items-center justify-between pl-1.5">
            <Dialog.Title>
              <span className="sr-only">Menu</span>
              <Logo />
            </Dialog.Title>
            <Dialog.Close asChild>
              <CloseButton aria-label="Close the menu" />
            </Dialog.Close>
          </div>
          <OrganisationMenu />
          <div className="min-h-0 grow overflow-y-auto py-1">
            <NavigationList onNavigate={() => onOpenChange(false)} />
          </div>
          <AccountMenu onNavigate={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
