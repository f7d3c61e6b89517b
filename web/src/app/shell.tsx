import { Outlet } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { LogoMark } from "../ui/logo.tsx";
import { Announcement } from "./announcement.tsx";
import { BalancePill } from "./balance-pill.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { NavigationSheet } from "./navigation-sheet.tsx";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

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
          label="Open the menu"
          icon={<MenuIcon aria-hidden="true" />}
          tooltipSide="bottom"
          onClick={() => setOverlay("navigation")}
        />
        <LogoMark />
        <span className="text-lg font-semibold tracking-tight">Trunkline</span>
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
