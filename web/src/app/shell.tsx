import { Outlet } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { Dialog as DialogParts } from "radix-ui";
import { useState } from "react";
import { useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { Banner } from "../ui/banner.tsx";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { focusFirst } from "../ui/focus-first.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Logo, LogoMark } from "../ui/logo.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { BalancePill } from "./balance-pill.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { navigationFor } from "./navigation.ts";
import { NavigationList } from "./navigation-list.tsx";
import { OrganisationMenu } from "./organisation-menu.tsx";
import { Sidebar } from "./sidebar.tsx";
import { MOD_KEY, useShortcuts } from "./use-shortcuts.ts";

const COLLAPSED = "sidebar-collapsed";

/** The frame around every page of a logged-in person. */
export function Shell() {
  const [overlay, setOverlay] = useState<"navigation" | "palette" | "help">();
  const [isCollapsed, setIsCollapsed] = useState(readCollapsed);
  const close = (open: boolean) => {
    if (!open) setOverlay(undefined);
  };
  useShortcuts({ openPalette: () => setOverlay("palette"), openHelp: () => setOverlay("help") });

  return (
    <div className="flex min-h-dvh max-lg:flex-col">
      <header className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-canvas px-3 py-2 lg:hidden print:hidden">
        <IconButton
          label={texts.shell.openMenu}
          icon={<MenuIcon aria-hidden="true" />}
          tooltipSide="bottom"
          onClick={() => setOverlay("navigation")}
        />
        <LogoMark />
        <span className="text-lg font-semibold tracking-tight">{texts.common.product}</span>
        <span className="ml-auto">
          <BalancePill />
        </span>
      </header>
      <Sidebar
        isCollapsed={isCollapsed}
        onToggle={() => {
          keepCollapsed(!isCollapsed);
          setIsCollapsed(!isCollapsed);
        }}
        onSearch={() => setOverlay("palette")}
      />
      <main id="main" tabIndex={-1} className="min-w-0 grow px-4 py-6 outline-none sm:px-8 sm:py-8">
        <Announcement />
        <Outlet />
      </main>
      <NavigationSheet open={overlay === "navigation"} onOpenChange={close} />
      <CommandPalette open={overlay === "palette"} onOpenChange={close} onHelp={() => setOverlay("help")} />
      <ShortcutHelp open={overlay === "help"} onOpenChange={close} />
    </div>
  );
}

function readCollapsed(): boolean {
  try {
    return localStorage.getItem(COLLAPSED) === "yes";
  } catch {
    // Storage can be forbidden; then it begins open.
    return false;
  }
}

function keepCollapsed(isCollapsed: boolean): void {
  try {
    localStorage.setItem(COLLAPSED, isCollapsed ? "yes" : "no");
  } catch {
    // It holds for this page, at least.
  }
}

/** The operator's message to everyone. */
function Announcement() {
  const { announcement } = useSession();
  if (announcement === "") return undefined;
  return (
    <Banner className="mx-auto mb-6 max-w-6xl print:hidden" title={texts.shell.announcement}>
      {announcement}
    </Banner>
  );
}

interface NavigationSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The navigation on phones. */
function NavigationSheet({ open, onOpenChange }: NavigationSheetProps) {
  return (
    <DialogParts.Root open={open} onOpenChange={onOpenChange}>
      <DialogParts.Portal>
        <DialogParts.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <DialogParts.Content
          onOpenAutoFocus={focusFirst}
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] animate-slide-left flex-col gap-3 border-r border-line bg-canvas px-3 py-3 shadow-overlay outline-none"
        >
          <div className="flex items-center justify-between pl-1.5">
            <DialogParts.Title>
              <span className="sr-only">{texts.shell.menu}</span>
              <Logo />
            </DialogParts.Title>
            <DialogParts.Close asChild>
              <CloseButton aria-label={texts.shell.closeMenu} />
            </DialogParts.Close>
          </div>
          <OrganisationMenu />
          <div className="min-h-0 grow overflow-y-auto py-1">
            <NavigationList onNavigate={() => onOpenChange(false)} />
          </div>
          <AccountMenu onNavigate={() => onOpenChange(false)} />
        </DialogParts.Content>
      </DialogParts.Portal>
    </DialogParts.Root>
  );
}

interface ShortcutHelpProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Every shortcut there is. */
function ShortcutHelp({ open, onOpenChange }: ShortcutHelpProps) {
  const items = navigationFor(useSession()).flatMap((group) => group.items);
  const rows = [
    { label: texts.shell.shortcuts.search, keys: [MOD_KEY, "K"] },
    { label: texts.shell.shortcuts.help, keys: ["?"] },
    ...items.map(({ label, letter }) => ({ label: texts.shell.shortcuts.goTo(label), keys: ["g", letter] })),
  ];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={texts.shell.shortcuts.title} size="sm">
      <dl className="grid divide-y divide-line">
        {rows.map(({ label, keys }) => (
          <div key={label} className="flex items-center justify-between gap-4 py-2">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
