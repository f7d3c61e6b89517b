import { PanelLeft, Search } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { cx } from "../ui/cx.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Logo, LogoMark } from "../ui/logo.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { BalancePill } from "./balance-pill.tsx";
import { NavigationList } from "./navigation-list.tsx";
import { OrganisationMenu } from "./organisation-menu.tsx";
import { MOD_KEY } from "./use-shortcuts.ts";

export interface SidebarProps {
  readonly isCollapsed: boolean;
  readonly onToggle: () => void;
  readonly onSearch: () => void;
}

/** The navigation at the left of wide screens. Collapsed, it shows icons alone. */
export function Sidebar({ isCollapsed, onToggle, onSearch }: SidebarProps) {
  return (
    <aside
      aria-label={texts.shell.sidebar}
      className={cx(
        "sticky top-0 hidden h-dvh shrink-0 flex-col gap-3 border-r border-line bg-canvas px-3 py-4 lg:flex print:hidden",
        isCollapsed ? "w-16 items-center" : "w-60",
      )}
    >
      <div className={cx("flex items-center justify-between", !isCollapsed && "pl-1.5")}>
        {!isCollapsed && <Logo />}
        {isCollapsed && <LogoMark className="sr-only" />}
        <IconButton
          label={isCollapsed ? texts.shell.expandSidebar : texts.shell.collapseSidebar}
          aria-expanded={!isCollapsed}
          size="sm"
          tooltipSide="right"
          icon={<PanelLeft aria-hidden="true" />}
          onClick={onToggle}
        />
      </div>
      <OrganisationMenu isCollapsed={isCollapsed} />
      {isCollapsed ? (
        <IconButton
          label={texts.shell.search.title}
          tooltipSide="right"
          icon={<Search aria-hidden="true" />}
          onClick={onSearch}
        />
      ) : (
        <button
          type="button"
          onClick={onSearch}
          className="flex h-9 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-left text-muted hover:bg-hover"
        >
          <Search aria-hidden="true" className="size-4" />
          <span className="grow">{texts.shell.search.button}</span>
          <Kbd>{MOD_KEY} K</Kbd>
        </button>
      )}
      <div className="-mx-1 min-h-0 grow self-stretch overflow-y-auto px-1 py-1">
        <NavigationList isCollapsed={isCollapsed} />
      </div>
      {!isCollapsed && <BalancePill wide />}
      <AccountMenu isCollapsed={isCollapsed} />
    </aside>
  );
}
